import { defined } from '../../../base/objects.ts';
import { type Config, originOfKeys } from '../../../core/config/config.ts';
import { featureSwitches } from '../../../core/config/features.ts';
import { defaultModelOf } from '../../../core/config/providers/built-in-providers.ts';
import { secretVariables } from '../../../core/config/servers/secret-variables.ts';
import type { Catalogue } from '../../../core/envelope/model-record.ts';
import type { OmittedContext, Settings, SpendingLimits, WindowSettings } from '../../../core/envelope/settings.ts';
import { approvalName, mayReviewerAnswer, isSameApproval } from '../../../core/policy/decide/approval-policy.ts';
import { grantsNoMoreThan } from '../../../core/policy/profiles/narrower-profile.ts';
import { profileSandboxLevel } from '../../../core/policy/profiles/profile-entries.ts';
import {
  brokenApprovalRequirement,
  brokenProfileRequirement,
  brokenReviewerRequirement,
  brokenSandboxRequirement,
  effectiveSandboxLevel,
  noRequirements,
  replacementMode,
  withDeniedReads,
  withoutDeniedReads,
} from '../../../core/policy/requirements.ts';
import type { AllowedValues, ManagedRequirements } from '../../../core/policy/requirements.ts';
import type { LastSettings } from '../../../core/state/resumed-settings.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode } from '../../../protocol/permissions.ts';
import type { RulesInForce } from '../config/rules-in-folder.ts';
import { choosePermissionProfile, profileForMode, requestedProfile } from './choose-profile.ts';
import { configuredOrigin, isPinnedSetting, type SettingName, settingPartOrigins } from './settings-origins.ts';

export type SettingsProblem = Outcome<'sandbox-managed'>;

export interface ChosenSettings {
  readonly settings: Settings;
  /** Requested settings that were not granted. */
  readonly notices: readonly Outcome[];
}

/** `null`: the user chose to have none. */
export type ResumedSettings = Partial<Omit<Settings, 'personality'>> & Pick<LastSettings, 'personality'>;

export interface SettingsChoices {
  readonly cwd: string;
  /** Holds the default model. */
  readonly catalogue: Pick<Catalogue, 'models'>;
  /** The thread's settings at its last use; absent for a new one. They win over the file and lose to flags. */
  readonly resumed?: ResumedSettings;
  /** Text of the file that `model_instructions_file` names; see `loadInstructionFiles`. */
  readonly baseInstructions?: string;
  readonly compactPrompt?: string;
  readonly onlyTools?: readonly string[];
  readonly withoutTools?: readonly string[];
  readonly clientTools?: Settings['clientTools'];
  readonly changesNothing?: true;
  /** Fixed by the surface, whatever is configured. */
  readonly approval?: ApprovalPolicy;
  /** The surface fixes `approval` only because it can ask no one, so it does not apply where a reviewer answers. */
  readonly unlessReviewed?: boolean;
  /** Choice of the program; overrides everything else. A mode name takes that mode's configured options. */
  readonly sandbox?: SandboxMode | PermissionProfile;
  readonly requirements?: ManagedRequirements;
  readonly rules?: RulesInForce;
}

export const defaultModel = (provider: string, { models }: Pick<Catalogue, 'models'>): string =>
  defaultModelOf(provider) ?? models[0].slug;

/** A value with its origin; a default has none. */
type Choice<Value> = { readonly value: Value; readonly origin: string | undefined };

export function chooseSettings(config: Config, choices: SettingsChoices): ChosenSettings | SettingsProblem {
  const { cwd, resumed, rules, requirements = noRequirements } = choices;
  const fallback = resumed === undefined ? (requirements.newThread ?? {}) : {};
  /** Precedence: flag or managed file, thread, other files, the requirement for new threads. */
  function ranked<Value>(name: SettingName, configured: Value, instead?: Value): Choice<Value> {
    const had = resumed?.[name] as Value | null | undefined;
    if (had !== undefined && !isPinnedSetting(config, name))
      return { value: (had ?? undefined) as Value, origin: 'thread' };
    if (configured === undefined && instead !== undefined) return { value: instead, origin: 'managed' };
    return { value: configured, origin: configuredOrigin(config, name) };
  }
  /** Like `ranked`, for settings that threads do not remember. */
  function configured<Value>(name: SettingName, value: Value): Choice<Value> {
    return { value, origin: configuredOrigin(config, name) };
  }

  const provider = ranked('provider', config.modelProvider);
  const model = ranked('model', config.model, fallback.model);
  const shell = ranked('shellEnvironment', config.shellEnvironmentPolicy);
  const reviewer = ranked('reviewer', config.approvalsReviewer);
  const { profile, notices } = chooseProfileWithOrigin(config, choices);
  const { compaction, modelFallback } = config;
  const chosen = {
    model:
      model.value === undefined
        ? { value: defaultModel(provider.value, choices.catalogue), origin: undefined }
        : { ...model, value: model.value },
    provider,
    effort: ranked('effort', config.modelReasoningEffort, fallback.effort),
    planEffort: configured('planEffort', config.planModeReasoningEffort),
    summary: ranked<string | undefined>('summary', config.modelReasoningSummary),
    verbosity: ranked<string | undefined>('verbosity', config.modelVerbosity),
    serviceTier: ranked('serviceTier', config.serviceTier, fallback.serviceTier),
    cwd: { value: cwd, origin: resumed?.cwd === undefined ? undefined : resumed.cwd === cwd ? 'thread' : 'flags' },
    ...approvalChoice(ranked('approvals', config.approvalPolicy), reviewer.value, choices),
    reviewer: { ...reviewer, value: reviewer.value === 'user' ? undefined : reviewer.value },
    reviewPolicy: configured('reviewPolicy', nonBlankText(config.autoReview?.policy)),
    sandbox: profile,
    // The thread's memory of rules is only a claim: today's files decide.
    rules: { value: rules?.rules, origin: 'rules' },
    approvedPrefixes: { value: rules?.approvedPrefixes, origin: 'rules' },
    networkRules: { value: rules?.networkRules, origin: 'rules' },
    // `withheld` always comes from the providers and servers of this configuration, even if the rest does not.
    shellEnvironment: { ...shell, value: { ...shell.value, withheld: secretVariables(config) } },
    baseInstructions: baseInstructions(config, choices),
    developerInstructions: ranked('developerInstructions', nonBlankText(config.developerInstructions)),
    compactPrompt: compactPrompt(config, choices),
    onlyTools: ofThread(choices.onlyTools, resumed?.onlyTools),
    withoutTools: ofThread(choices.withoutTools, resumed?.withoutTools),
    clientTools: ofThread(choices.clientTools, resumed?.clientTools),
    // Ends when the user or a program chooses another sandbox for the thread.
    changesNothing: ofThread(choices.changesNothing, profile.origin === 'thread' ? resumed?.changesNothing : undefined),
    // `auto` leaves the choice to the engine, as if it were not set.
    compaction: configured('compaction', compaction?.strategy === 'auto' ? undefined : compaction?.strategy),
    instructionRules: configured('instructionRules', instructionRules(config)),
    collaboration: ranked('collaboration', undefined as Settings['collaboration']),
    personality: ranked('personality', config.personality),
    realtime: configured('realtime', realtimeSetting(config)),
    leaveOut: configured('leaveOut', omittedContext(config)),
    features: configured('features', configuredFeatures(config)),
    editTools: configured('editTools', config.tools?.edit),
    window: configured('window', contextWindowSettings(config)),
    limits: configured('limits', spendingLimits(config)),
    // A name alone means a model of the same provider.
    fallback: configured('fallback', typeof modelFallback === 'string' ? { model: modelFallback } : modelFallback),
  };
  const values = defined(valuesOf(chosen));
  const settings = { ...values, origins: { ...originsOf(chosen), ...settingPartOrigins(config, values) } };
  const { sandbox, ...kept } = enforceRequirements(requirements, settings, config);
  if (choices.sandbox !== undefined && sandbox === 'managed' && !isHonoured(profile.value, requirements, config))
    return managedSandbox;
  return { settings: kept.settings, notices: [...notices, ...kept.notices] };
}

/** The policy of a surface ends with the surface, so Capstan also keeps the thread's own choice. */
function approvalChoice(
  own: Choice<ApprovalPolicy>,
  asker: Settings['reviewer'],
  { approval: given, unlessReviewed = false, requirements = noRequirements }: SettingsChoices,
) {
  const reviewer = allowedReviewer(requirements, asker);
  const held = unlessReviewed && mayReviewerAnswer({ approval: own.value, reviewer }) ? undefined : given;
  const asked = held === undefined || isSameApproval(held, own.value) ? { value: undefined, origin: undefined } : own;
  return { approvals: held === undefined ? own : { value: held, origin: 'surface' }, askedApproval: asked };
}

function chooseProfileWithOrigin(config: Config, { resumed, sandbox, requirements = noRequirements }: SettingsChoices) {
  if (sandbox !== undefined) {
    const { profile, notices } = requestedProfile(config, sandbox);
    return { profile: { value: profile, origin: 'flags' }, notices };
  }
  const had = resumed?.sandbox === undefined ? undefined : withoutDeniedReads(requirements, resumed.sandbox);
  const { profile, notices, added } = choosePermissionProfile(config, had);
  const origin = added ? 'flags' : profile === had ? 'thread' : configuredOrigin(config, 'sandbox');
  return { profile: { value: profile, origin }, notices };
}

/** True if requirements leave commands at least as confined as requested. */
function isHonoured(
  profile: PermissionProfile,
  requirements: ManagedRequirements,
  { pinned, namedProfile }: Config,
): boolean {
  const isBroken =
    (brokenSandboxRequirement(requirements, profile) ?? brokenProfileRequirement(requirements, profile)) !== undefined;
  const isNamed = pinned.get('default_permissions') === 'managed';
  const fits = !isNamed || (namedProfile !== undefined && grantsNoMoreThan(namedProfile.profile, profile));
  return profile.type === 'managed' && !isBroken && fits;
}

function baseInstructions(config: Config, { resumed, baseInstructions: file }: SettingsChoices) {
  if (resumed?.baseInstructions !== undefined) return { value: resumed.baseInstructions, origin: 'thread' };
  const texts = [['model_instructions_file', file] as const, ['instructions', config.instructions] as const];
  // A flag wins over a file, whatever the order of the keys.
  const isFlag = (key: string): number => Number(originOfKeys(config.origins, [key]) === 'flags');
  return firstWritten(
    config,
    texts.toSorted(([a], [b]) => isFlag(b) - isFlag(a)),
  );
}

function compactPrompt(config: Config, { resumed, compactPrompt: file }: SettingsChoices): Choice<string | undefined> {
  const had = resumed?.compactPrompt;
  if (had !== undefined && !isPinnedSetting(config, 'compactPrompt')) return { value: had, origin: 'thread' };
  return firstWritten(config, [
    ['compact_prompt', config.compactPrompt],
    ['experimental_compact_prompt_file', file],
  ]);
}

/** Given by a program, not by configuration files. The thread remembers it. */
function ofThread<Value>(given: Value | undefined, had: Value | undefined): Choice<Value | undefined> {
  if (given !== undefined) return { value: given, origin: 'flags' };
  return { value: had, origin: had === undefined ? undefined : 'thread' };
}

/** The first text that is not blank, with its origin; if all are blank, the last one. */
function firstWritten({ origins }: Config, texts: readonly (readonly [key: string, text: string | undefined])[]) {
  const [key = '', text] = texts.find(([, written]) => nonBlankText(written) !== undefined) ?? texts.at(-1) ?? [];
  return { value: nonBlankText(text), origin: originOfKeys(origins, [key]) };
}

type Choices = Readonly<Record<string, Choice<unknown>>>;

function valuesOf<Chosen extends Choices>(chosen: Chosen): { [Name in keyof Chosen]: Chosen[Name]['value'] } {
  const values = Object.entries(chosen).map(([name, { value }]) => [name, value]);
  return Object.fromEntries(values) as { [Name in keyof Chosen]: Chosen[Name]['value'] };
}

/** Absent or blank values have no origin, except from a thread, which remembers deliberate omissions. */
const originsOf = (chosen: Choices): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(chosen).flatMap(([name, { value, origin }]) =>
      origin === undefined || (value === undefined && origin !== 'thread') ? [] : [[name, origin]],
    ),
  );

const managedSandbox: SettingsProblem = {
  code: 'sandbox-managed',
  message: 'An administrator manages the sandbox of this machine, so it cannot be turned off or widened.',
  next: 'Start without the option, or ask the administrator. `capstan config explain sandbox_mode` shows where it is set.',
};

/** Only configured window settings: defaults belong to the envelope. */
export function contextWindowSettings(config: Config): WindowSettings {
  const { modelAutoCompactTokenLimitScope: scope } = config;
  return defined({
    contextWindow: config.modelContextWindow,
    autoCompactTokens: config.modelAutoCompactTokenLimit,
    autoCompactScope: scope === 'body_after_prefix' ? ('body' as const) : scope,
    toolOutputTokens: config.toolOutputTokenLimit,
    skillsTokens: config.skills?.maxContextTokens,
    ...config.window,
  });
}

function spendingLimits(config: Config): SpendingLimits | undefined {
  const { maxTurnTokens: turnTokens, maxThreadTokens: threadTokens } = config;
  const { maxTurnCost: turnCost, maxThreadCost: threadCost } = config;
  return unlessEmpty(defined({ turnTokens, threadTokens, turnCost, threadCost }));
}

/** Undefined when nothing is configured about AGENTS.md files. */
function instructionRules({ origins, ...config }: Config): Settings['instructionRules'] {
  const ifSet = <Value>(key: string, value: Value): Value | undefined => (origins.has(key) ? value : undefined);
  const rules = defined({
    maxBytes: ifSet('project_doc_max_bytes', config.projectDocMaxBytes),
    fallbackFilenames: ifSet('project_doc_fallback_filenames', config.projectDocFallbackFilenames),
    rootMarkers: ifSet('project_root_markers', config.projectRootMarkers),
  });
  return unlessEmpty(rules);
}

function omittedContext(config: Config): readonly OmittedContext[] | undefined {
  const included: readonly (readonly [OmittedContext, boolean | undefined])[] = [
    ['permissions', config.includePermissionsInstructions],
    ['collaboration-mode', config.includeCollaborationModeInstructions],
    ['environment', config.includeEnvironmentContext],
    ['apps', config.includeAppsInstructions],
    ['skills', config.skills?.includeInstructions],
  ];
  const out = included.filter(([, include]) => include === false).map(([part]) => part);
  return out.length === 0 ? undefined : out;
}

const realtimeSetting = ({ experimentalRealtimeStartInstructions: text }: Config): Settings['realtime'] =>
  nonBlankText(text) === undefined ? undefined : { active: false, startInstructions: text as string };

export const configuredFeatures = ({ features }: Config): Settings['features'] =>
  unlessEmpty(featureSwitches(features ?? {}));

const nonBlankText = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : text;

const unlessEmpty = <Value extends object>(value: Value): Value | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

type RequirementNotice = Outcome<'requirement-overrides'>;

interface EnforcedSettings {
  readonly settings: Settings;
  /** Choices that are not allowed. A disallowed default is replaced silently. */
  readonly notices: readonly RequirementNotice[];
  /** `managed`: the administrator restricts what commands may touch. */
  readonly sandbox: 'managed' | 'free';
}

function enforceRequirements(requirements: ManagedRequirements, settings: Settings, config: Config): EnforcedSettings {
  const steps = [requiredApproval, requiredReviewer, requiredProfile, requiredFeatures, requiredInstructions];
  const sandbox = isManaged(requirements, settings, config) ? 'managed' : 'free';
  const start: EnforcedSettings = { settings, notices: [], sandbox };
  return steps.reduce((before, step) => {
    const { settings: after, notices = [] } = step(requirements, before.settings, config);
    return { ...before, settings: after, notices: [...before.notices, ...notices] };
  }, start);
}

type Step = Pick<EnforcedSettings, 'settings'> & Partial<EnforcedSettings>;

function isManaged(requirements: ManagedRequirements, { sandbox: profile }: Settings, { pinned }: Config): boolean {
  const { denyRead, sandboxModes } = requirements;
  return (
    denyRead !== undefined ||
    pinned.get('default_permissions') === 'managed' ||
    brokenProfileRequirement(requirements, profile) !== undefined ||
    sandboxModes?.key === 'sandbox_mode' ||
    brokenSandboxRequirement(requirements, profile) !== undefined
  );
}

function requiredApproval(requirements: ManagedRequirements, settings: Settings): Step {
  const broken = brokenApprovalRequirement(requirements, settings.approvals);
  if (broken === undefined) return { settings };
  const [approval] = broken.allowed;
  const [value, instead] = [approvalName(settings.approvals), approvalName(approval)];
  const notices = noticesOf(settings, 'approvals', { key: 'approval_policy', value, broken: named(broken), instead });
  return { settings: decided({ ...settings, approvals: approval }, 'approvals'), notices };
}

const allowedReviewer = (requirements: ManagedRequirements, reviewer: Settings['reviewer']) =>
  brokenReviewerRequirement(requirements, reviewer ?? 'user')?.allowed[0] ?? reviewer;

function requiredReviewer(requirements: ManagedRequirements, settings: Settings): Step {
  const { reviewer = 'user' } = settings;
  const { reviewPolicy } = requirements;
  const told = reviewPolicy === undefined ? settings : decided({ ...settings, reviewPolicy }, 'reviewPolicy');
  const broken = brokenReviewerRequirement(requirements, reviewer);
  if (broken === undefined) return { settings: told };
  const [instead] = broken.allowed;
  const notices = noticesOf(settings, 'reviewer', { key: 'approvals_reviewer', value: reviewer, broken, instead });
  return { settings: decided({ ...told, reviewer: instead }, 'reviewer'), notices };
}

function named({ allowed: [first, ...others], ...rest }: AllowedValues<ApprovalPolicy>): AllowedValues<string> {
  return { ...rest, allowed: [approvalName(first), ...others.map(approvalName)] };
}

function requiredProfile(requirements: ManagedRequirements, settings: Settings, config: Config): Step {
  const broken = brokenSandboxRequirement(requirements, settings.sandbox);
  if (broken === undefined) return chosenProfile(requirements, settings, config);
  const mode = replacementMode(broken);
  const [width, counted] = [
    profileSandboxLevel(settings.sandbox),
    effectiveSandboxLevel(requirements, settings.sandbox),
  ];
  // The requirements would allow the mode, but the profile also reopens Capstan's own files.
  const isNamed = width !== counted && config.namedProfile !== undefined;
  const chosen = isNamed
    ? { key: 'default_permissions', value: config.namedProfile.id, why: reopens }
    : { key: 'sandbox_mode', value: counted };
  const notices = noticesOf(settings, 'sandbox', { ...chosen, broken, instead: mode });
  const inMode = decided({ ...settings, sandbox: profileForMode(config, mode) }, 'sandbox');
  return { settings: chosenProfile(requirements, inMode, config).settings, notices };
}

function chosenProfile(requirements: ManagedRequirements, settings: Settings, { namedProfile }: Config): Step {
  const broken = brokenProfileRequirement(requirements, settings.sandbox);
  if (broken === undefined)
    return { settings: { ...settings, sandbox: withDeniedReads(requirements, settings.sandbox) } };
  const { instead, source, key: rule } = broken;
  const allowed = broken.allowed.map(({ id }) => id) as [string, ...string[]];
  const value = namedProfile?.id ?? profileSandboxLevel(settings.sandbox);
  const key = namedProfile === undefined ? 'sandbox_mode' : 'default_permissions';
  const what = { key, value, broken: { allowed, source, key: rule }, instead: instead.id };
  const sandbox = withDeniedReads(requirements, instead.profile);
  const notices = noticesOf(settings, 'sandbox', what);
  return { settings: decided({ ...settings, sandbox }, 'sandbox'), notices };
}

function requiredFeatures({ features: demanded }: ManagedRequirements, settings: Settings): Step {
  if (demanded === undefined) return { settings };
  const { pins, source } = demanded;
  const overridden = Object.keys(pins).filter(
    (name) => settings.features?.[name] !== undefined && settings.features[name] !== pins[name],
  );
  const notices = overridden.map((name) =>
    overriding(`features.${name} = ${String(!pins[name])} has no effect: features.${name} in ${source} overrides it.`),
  );
  return { settings: decided({ ...settings, features: { ...settings.features, ...pins } }, 'features'), notices };
}

function requiredInstructions({ instructions }: ManagedRequirements, settings: Settings): Step {
  if (instructions === undefined) return { settings };
  return { settings: decided({ ...settings, managedInstructions: instructions }, 'managedInstructions') };
}

function decided(settings: Settings, name: keyof Settings): Settings {
  return { ...settings, origins: { ...settings.origins, [name]: 'managed' } };
}

const reopens = ", which opens Capstan's own files";

function noticesOf(
  { origins = {} }: Settings,
  name: keyof Settings,
  { key, value, why = '', broken, instead }: Overruled,
): readonly RequirementNotice[] {
  const origin = origins[name];
  // No notice: the value is a default, or one that a surface fixes without a choice.
  if (origin === undefined || origin === 'surface') return [];
  const rule = `${broken.key} in ${broken.source}`;
  const message = `${rule} does not allow ${key} = "${value}" (${origin})${why}: Capstan uses "${instead}" instead.`;
  return [overriding(message)];
}

interface Overruled extends Readonly<Record<'key' | 'value' | 'instead', string>> {
  readonly why?: string;
  readonly broken: AllowedValues<string>;
}

function overriding(message: string): RequirementNotice {
  return { code: 'requirement-overrides', message, next: 'Ask the administrator of this machine.' };
}
