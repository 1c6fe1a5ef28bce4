import { realPathSoFar } from '../../adapters/disk/file-system.ts';
import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { withOnlyKeys, withOverrides, withProfile } from '../../adapters/gather/config/config-layers.ts';
import type {
  BaseLayers,
  ConfigChoices,
  ConfigOverrides,
  Overrides,
} from '../../adapters/gather/config/config-layers.ts';
import { projectPartsStamp } from '../../adapters/gather/config/project-trust.ts';
import { rulesInFolder } from '../../adapters/gather/config/rules-in-folder.ts';
import { projectFolders } from '../../adapters/gather/files/project-folders.ts';
import { findHookPlaces, skillSwitches } from '../../adapters/gather/hook-and-skill-places.ts';
import { loadInstructionFiles } from '../../adapters/gather/instruction-files.ts';
import { loadCatalogue } from '../../adapters/gather/model-catalogue-file.ts';
import {
  folderProblem,
  missingRootNotices,
  unprotectedSubmoduleNotices,
} from '../../adapters/gather/permission-places.ts';
import { configuredProfileName } from '../../adapters/gather/settings/choose-profile.ts';
import {
  dropModelOfOtherProvider,
  providerInConfigFiles,
  valueInConfigFiles,
} from '../../adapters/gather/settings/settings-origins.ts';
import { chooseSettings, defaultModel } from '../../adapters/gather/settings/settings.ts';
import type { HookDefinition } from '../../adapters/hooks/hook-definitions.ts';
import { defined } from '../../base/objects.ts';
import { combinedError, withoutDuplicateProblems } from '../../core/config/layer-order.ts';
import type { ConfigLayer } from '../../core/config/layer-order.ts';
import type { Config } from '../../core/config/config.ts';
import { isGateOpen } from '../../core/config/features.ts';
import { explainWrongValue } from '../../core/config/keys/explain-wrong-value.ts';
import { modelProblem } from '../../core/config/providers/built-in-providers.ts';
import { headerNotices } from '../../core/config/providers/provider-config.ts';
import { effortFor, effortNote, effortProblem } from '../../core/envelope/identity.ts';
import { modelNotices } from '../thread/thread-settings.ts';
import { type Catalogue, lookUpModel } from '../../core/envelope/model-record.ts';
import type { Settings, SpendingLimits } from '../../core/envelope/settings.ts';
import type { SkillSwitch } from '../../core/planes/skill-switches.ts';
import { approvalName, isSameApproval } from '../../core/policy/decide/approval-policy.ts';
import { isWithin, normalisePath } from '../../core/policy/paths/absolute-paths.ts';
import { accessAt, needsSandbox } from '../../core/policy/paths/access.ts';
import { quotedPath } from '../../core/policy/paths/walk-path.ts';
import { narrowerApproval } from '../../core/policy/profiles/narrower-profile.ts';
import { readSandbox } from '../../core/policy/profiles/read-profile.ts';
import { isWrongValue } from '../../core/policy/profiles/profile-entries.ts';
import type { ManagedRequirements } from '../../core/policy/requirements.ts';
import { type LastSettings, withoutModelDefaults } from '../../core/state/resumed-settings.ts';
import type { Json } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy } from '../../protocol/permissions.ts';
import type { EngineParts } from '../engine-parts.ts';
import { fallbackNotices, type ThreadModels, threadModels } from '../models/thread-providers.ts';
import { policyInForce } from '../wording.ts';
import { configFileDenier, projectConfigFileDenier } from '../sandbox/denied-config-files.ts';
import type { ResumedPast } from '../store/thread-origin.ts';
import type { ThreadRequest } from '../thread-request.ts';

export interface ThreadSetupInput {
  readonly cwd: string;
  readonly resumed?: ResumedPast;
  /** Requests will be sent: a server may be asked about the model. */
  readonly sends?: true;
}

export interface ConfiguredThread {
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly models: ThreadModels;
  readonly settings: Settings;
  readonly profileName?: string;
  readonly notices: readonly Outcome[];
  readonly hooks: readonly HookDefinition[];
  /** Later entries override earlier ones. */
  readonly skillSwitches: readonly SkillSwitch[];
}

export async function configureThread(
  engine: EngineParts,
  place: ThreadSetupInput,
  request: ThreadRequest,
): Promise<ConfiguredThread | Outcome> {
  const { approvals, heldApprovals, unlessReviewed, sandbox, folderMayBeMissing } = request;
  const { onlyTools, withoutTools, clientTools, changesNothing } = request;
  const { base: everywhere, options, ownPlaces } = engine;
  const { env, cwd: here } = options;
  const chosen = sandbox === undefined ? undefined : readSandbox(sandbox);
  if (isWrongValue(chosen)) return { code: 'option-wrong', ...explainWrongValue('sandbox', chosen) };
  const cwd = normalisePath(place.cwd);
  if (cwd === undefined)
    return (place.cwd.startsWith('/') ? folderProblem(place.cwd) : undefined) ?? relativeFolder(place.cwd);
  const missing = folderMayBeMissing === true ? undefined : folderProblem(cwd);
  if (missing !== undefined) return missing;
  const { base, added } = await withChoices(everywhere, request, here);
  const loaded = await loadUnchanged(base, cwd, async () => {
    const read = await configInFolder(base, cwd);
    const rules = await rulesInFolder(base, cwd, options);
    const hooks = await hooksInFolder(base, read.layers, { cwd, options, isNew: place.resumed === undefined });
    return { ...read, rules, hooks };
  });
  if ('code' in loaded) return loaded;
  const { config, layers, problems: ofFolder, rules, hooks } = loaded;
  const problems = withoutDuplicateProblems([...added, ...ofFolder, ...rules.problems, ...hooks.problems]);
  const error = combinedError(problems);
  if (error !== undefined) return error;
  const past = place.resumed;
  const foreign = past?.standing === 'ours' ? undefined : past;
  const taken = foreign && (await import('./foreign-thread.ts')).takeOverThread(config, foreign, { cwd, env });
  const last = taken?.resumed ?? past?.last;
  const { requirements } = base;
  const make = (denies: (path: string) => boolean) => {
    const texts = loadInstructionFiles(config, { denies });
    if ('code' in texts) return texts;
    const described = loadCatalogue(config, { denies });
    if ('code' in described) return described;
    const before = last && withoutModelDefaults(last, described);
    const { config: named, resumed } = dropModelOfOtherProvider({ config, resumed: before }, layers);
    const held = { approval: heldApprovals, unlessReviewed };
    const more = defined({ resumed, ...held, sandbox: chosen, onlyTools, withoutTools, clientTools, changesNothing });
    const made = chooseSettings(named, { cwd, ...more, ...texts, catalogue: described, requirements, rules });
    return 'code' in made ? made : { ...made, named, described, resumed, before };
  };
  const first = make(configFileDenier({ base, ownPlaces }));
  if ('code' in first) return first;
  // The files that the model may not read are known only now.
  const stricter = projectConfigFileDenier(engine, config, first.settings);
  const made = stricter === undefined ? first : make(stricter);
  if ('code' in made) return made;
  if (approvals !== undefined && heldApprovals === undefined) {
    const { approvals: approval } = made.settings;
    if (!isSameApproval(narrowerApproval(approvals, approval), approval)) return approvalsManaged(approvals, approval);
  }
  const { named, described, resumed, before } = made;
  const { model, provider: id } = made.settings;
  const nameless = [named.model, resumed?.model, requirements.newThread?.model].every((name) => name === undefined);
  const problem = nameless ? modelProblem(id, config.model) : undefined;
  if (problem !== undefined) return problem;
  const models = threadModels(engine, { config, described });
  const ofProvider = models.of(id);
  if (place.sends === true && !('code' in ofProvider)) await ofProvider.learn(model);
  const catalogue = models.catalogue(made.settings);
  const fitted = withFittingEffort(made.settings, { resumed: before, layers, catalogue });
  if ('code' in fitted) return fitted;
  const { settings } = fitted;
  const notices = [
    ...problems,
    ...made.notices,
    ...fitted.notices,
    ...(taken?.notices(settings) ?? []),
    ...modelNotices(catalogue, settings),
    ...headerNotices(config, settings.provider, env),
    ...fallbackNotices(settings, models),
    ...missingRootNotices(settings.sandbox, { cwd, temporaryDirectory: env['TMPDIR'] }),
    ...(settings.sandbox.type === 'managed' ? unprotectedSubmoduleNotices(cwd) : []),
    ...(past === undefined ? unusedKeysNotice(config) : []),
    ...(past === undefined && place.sends === true ? homeFolderNotices(settings, base.osHome) : []),
  ];
  const profileName = configuredProfileName(config, settings.sandbox);
  const own = { hooks: switchedOn(hooks.hooks, settings, requirements), profileName };
  return { config, catalogue, models, settings, notices, ...own, skillSwitches: skillSwitches(layers, base.osHome) };
}

/** Loads again if files of the project changed: a process under Landlock may add one after the check. */
async function loadUnchanged<Loaded>({ config, home }: BaseLayers, cwd: string, load: () => Promise<Loaded>) {
  const owners = projectFolders(cwd, config.projectRootMarkers);
  for (let tries = 0; tries < 20; tries += 1) {
    const before = projectPartsStamp(home, owners);
    const loaded = await load();
    if (projectPartsStamp(home, owners) === before) return loaded;
  }
  const message = `Files of the project in ${quotedPath(cwd)} change while Capstan reads its configuration.`;
  return { code: 'config-changing', message, next: 'End the program that writes there, then try again.' };
}

/** Warns when the folder is or holds the user's home: commands then reach more than a project. */
function homeFolderNotices(settings: Settings, osHome: string): readonly Outcome<'home-folder'>[] {
  const [cwd, home] = [realPathSoFar(settings.cwd), realPathSoFar(osHome)];
  if (!isWithin(home, cwd)) return [];
  const policy = policyInForce({ ...settings, cwd });
  const where = cwd === home ? 'your home folder' : `${quotedPath(cwd)}, which holds your home folder`;
  const reach = !needsSandbox(policy)
    ? 'There is no sandbox: commands can read and change all your files'
    : accessAt(policy, home) === 'write'
      ? 'Commands can read and change your own files there, except what the sandbox protects (`capstan sandbox explain -P :workspace` lists it)'
      : accessAt(policy, home) === 'read'
        ? 'Commands can read your own files there, and change none'
        : undefined;
  if (reach === undefined) return [];
  const message = `Capstan works in ${where}. ${reach}.`;
  return [{ code: 'home-folder', message, next: 'Start Capstan in the folder of a project instead.' }];
}

async function withChoices(all: BaseLayers, request: ThreadRequest, cwd: string) {
  const { limits = {}, profile, config, onlyConfig } = request;
  const base = onlyConfig === undefined ? all : withOnlyKeys(all, onlyConfig);
  const profiled = profile === undefined ? { base, added: [] } : await withProfile(base, profile);
  const configured = config === undefined ? profiled : await withMore(profiled, config, cwd);
  const own = [...overridesOf(limits, limitKeys), ...overridesOf(request, keyOfSetting)];
  return own.length === 0 ? configured : withMore(configured, own, cwd);
}

type WithOverrides = Awaited<ReturnType<typeof withOverrides>>;

async function withMore({ base, added }: WithOverrides, config: ConfigOverrides, cwd: string) {
  const more = await withOverrides(base, { config, cwd });
  return { ...more, added: [...added, ...more.added] };
}

const keyOfSetting = {
  model: 'model',
  provider: 'model_provider',
  effort: 'model_reasoning_effort',
  summary: 'model_reasoning_summary',
  serviceTier: 'service_tier',
  personality: 'personality',
  approvals: 'approval_policy',
  reviewer: 'approvals_reviewer',
} as const satisfies Partial<Record<keyof ThreadRequest, string>>;

const limitKeys: Readonly<Record<keyof SpendingLimits, string>> = {
  turnTokens: 'max_turn_tokens',
  threadTokens: 'max_thread_tokens',
  turnCost: 'max_turn_cost',
  threadCost: 'max_thread_cost',
};

function overridesOf(given: object, keys: Readonly<Record<string, string>>): Overrides {
  return Object.entries(keys).flatMap(([name, key]) => {
    const value = (given as Readonly<Record<string, Json | undefined>>)[name];
    return value === undefined ? [] : [{ path: [key], value }];
  });
}

/** A user can switch off their own hooks, but not the administrator's. */
function switchedOn(
  hooks: ConfiguredThread['hooks'],
  { features }: Settings,
  { features: required }: ManagedRequirements,
) {
  if (isGateOpen('hooks', features)) return hooks;
  return required?.pins['hooks'] === false ? [] : hooks.filter(({ source }) => source.owner === 'managed');
}

function approvalsManaged(asked: ApprovalPolicy, allowed: ApprovalPolicy): Outcome {
  const message = `The administrator of this machine does not allow the approval policy "${approvalName(asked)}".`;
  return { code: 'approvals-managed', message, next: `Use "${approvalName(allowed)}", or ask the administrator.` };
}

function relativeFolder(given: string): Outcome {
  const message = `The folder ${JSON.stringify(given)} is not an absolute path.`;
  return { code: 'folder-relative', message, next: 'Give an absolute path.' };
}

/** In the order in which they are configured. Hooks that do not run are reported only when a thread is begun. */
async function hooksInFolder(
  base: BaseLayers,
  layers: readonly ConfigLayer[],
  { cwd, options, isNew }: { readonly cwd: string; readonly options: ConfigChoices; readonly isNew: boolean },
) {
  const places = findHookPlaces(base, layers, cwd, options);
  if (places === undefined) return { hooks: [], problems: [] };
  const { loadHooks, mayRunHook, untrustedHooks } = await import('../../adapters/hooks/load-hooks.ts');
  const { hooks, problems } = await loadHooks(places);
  const idle = hooks.filter((hook) => !mayRunHook(hook) && hook.trust !== 'disabled');
  return { hooks: hooks.filter(mayRunHook), problems: [...problems, ...(isNew ? untrustedHooks(idle) : [])] };
}

export const setEffortHint = 'Set model_reasoning_effort to it, or remove it.';

interface EffortSources extends Pick<ConfiguredThread, 'catalogue'> {
  /** Absent: the thread is new. */
  readonly resumed?: LastSettings;
  readonly layers: readonly ConfigLayer[];
}

/** Adapts an effort chosen for another model. One chosen for this model, which lacks it, is an error. */
function withFittingEffort(settings: Settings, sources: EffortSources) {
  const { resumed, catalogue } = sources;
  const record = lookUpModel(catalogue, settings.model);
  const { effort: had, origins = {}, ...rest } = settings;
  const before = { model: modelOfEffort(settings, sources) ?? settings.model, effort: had };
  const effort = effortFor(record, before);
  // A turn that changes the model of a thread reports it itself.
  const note = resumed === undefined ? effortNote(record, before, effort) : undefined;
  const { effort: origin, ...others } = origins;
  const isChosen = origin !== 'thread' && origin !== 'managed';
  const problem = effort !== undefined && isChosen ? effortProblem(record, effort) : undefined;
  if (problem !== undefined) return { ...problem, next: `${problem.next} ${setEffortHint}` };
  const fitting = effort === undefined ? { ...rest, origins: others } : { ...rest, origins, effort };
  return { settings: effort === had ? settings : fitting, notices: note === undefined ? [] : [note] };
}

/** The model for which the effort was chosen: the thread's, or that of the files. Undefined: the current one. */
function modelOfEffort({ origins, effort }: Settings, { resumed, layers, catalogue }: EffortSources) {
  const origin = origins?.['effort'];
  if (origin === 'thread') return resumed?.model;
  if (effort === undefined || origin === 'flags' || origin === 'managed') return undefined;
  return valueInConfigFiles(layers, 'model') ?? defaultModel(providerInConfigFiles(layers), catalogue);
}

export function unusedKeysNotice({ unused = [] }: Pick<Config, 'unused'>): readonly Outcome<'config-unused-keys'>[] {
  if (unused.length === 0) return [];
  const message = `Capstan does not use these configuration keys yet: ${unused.join(', ')}.`;
  return [{ code: 'config-unused-keys', message, next: 'See where they are set: `capstan config show --origin`.' }];
}
