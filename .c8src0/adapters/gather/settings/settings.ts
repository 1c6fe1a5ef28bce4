import { defined } from '../../../base/objects.ts';
import { type Config, originOfKeys } from '../../../core/config/config.ts';
import { featureGates } from '../../../core/config/features.ts';
import { defaultModelOf } from '../../../core/config/providers/default-model.ts';
import { secretVariables } from '../../../core/config/servers/secret-variables.ts';
import type { Catalogue } from '../../../core/envelope/model-record.ts';
import type { OmittedContext, Settings, SpendingLimits, WindowSettings } from '../../../core/envelope/settings.ts';
import { mayReviewerAnswer, isSameApproval } from '../../../core/policy/decide/approval-policy.ts';
import { grantsNoMoreThan } from '../../../core/policy/profiles/narrower-profile.ts';
import {
  brokenProfileRequirement,
  brokenSandboxRequirement,
  noRequirements,
  type Requirements,
  withoutDeniedReads,
} from '../../../core/policy/requirements.ts';
import type { LastSettings } from '../../../core/state/resumed-settings.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode } from '../../../protocol/permissions.ts';
import type { RulesInForce } from '../config/rules-in-folder.ts';
import { choosePermissionProfile, requestedProfile } from './choose-profile.ts';
import { enforceRequirements, allowedReviewer } from './enforce-requirements.ts';
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
  readonly requirements?: Requirements;
  readonly rules?: RulesInForce;
}

export function defaultModel(provider: string, { models }: Pick<Catalogue, 'models'>): string {
  return defaultModelOf(provider) ?? models[0].slug;
}

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
    cwd: { value: cwd, origin: cwdOrigin(choices) },
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
    compaction: configured('compaction', compactionStrategy(config)),
    instructionRules: configured('instructionRules', instructionRules(config)),
    collaboration: ranked('collaboration', undefined as Settings['collaboration']),
    personality: ranked('personality', config.personality),
    realtime: configured('realtime', realtimeSetting(config)),
    leaveOut: configured('leaveOut', omittedContext(config)),
    features: configured('features', configuredFeatures(config)),
    editTools: configured('editTools', config.tools?.edit),
    window: configured('window', contextWindowSettings(config)),
    limits: configured('limits', spendingLimits(config)),
    fallback: configured('fallback', fallbackModel(config)),
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
  const held =
    unlessReviewed && mayReviewerAnswer({ approval: own.value, ...defined({ reviewer }) }) ? undefined : given;
  const asked = held === undefined || isSameApproval(held, own.value) ? { value: undefined, origin: undefined } : own;
  const approval = held === undefined ? own : { value: held, origin: 'surface' };
  return { approvals: approval, askedApproval: asked };
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
function isHonoured(profile: PermissionProfile, requirements: Requirements, { pinned, namedProfile }: Config): boolean {
  const isBroken =
    (brokenSandboxRequirement(requirements, profile) ?? brokenProfileRequirement(requirements, profile)) !== undefined;
  const isNamed = pinned.get('default_permissions') === 'managed';
  const fits = !isNamed || (namedProfile !== undefined && grantsNoMoreThan(namedProfile.profile, profile));
  return profile.type === 'managed' && !isBroken && fits;
}

function cwdOrigin({ cwd, resumed }: SettingsChoices): string | undefined {
  if (resumed?.cwd === undefined) return undefined;
  return resumed.cwd === cwd ? 'thread' : 'flags';
}

function baseInstructions(config: Config, { resumed, baseInstructions: file }: SettingsChoices) {
  if (resumed?.baseInstructions !== undefined) return { value: resumed.baseInstructions, origin: 'thread' };
  const texts = [['model_instructions_file', file] as const, ['instructions', config.instructions] as const];
  // A flag wins over a file, whatever the order of the keys.
  const isFlag = (key: string): number => Number(originOfKeys(config.origins, [key]) === 'flags');
  const sorted = texts.toSorted(([a], [b]) => isFlag(b) - isFlag(a));
  return firstWritten(config, sorted);
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
function originsOf(chosen: Choices): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(chosen).flatMap(([name, { value, origin }]) =>
      origin === undefined || (value === undefined && origin !== 'thread') ? [] : [[name, origin]],
    ),
  );
}

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

/** A name alone means a model of the same provider. */
function fallbackModel({ modelFallback: chosen }: Config): Settings['fallback'] {
  return typeof chosen === 'string' ? { model: chosen } : chosen;
}

/** `auto` leaves the choice to the engine, as if it were not set. */
function compactionStrategy({ compaction }: Config): Settings['compaction'] {
  return compaction?.strategy === 'auto' ? undefined : compaction?.strategy;
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

function realtimeSetting({ experimentalRealtimeStartInstructions: text }: Config): Settings['realtime'] {
  return nonBlankText(text) === undefined ? undefined : { active: false, startInstructions: text as string };
}

export function configuredFeatures({ features }: Config): Settings['features'] {
  return unlessEmpty(featureGates(features ?? {}));
}

function nonBlankText(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

function unlessEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
