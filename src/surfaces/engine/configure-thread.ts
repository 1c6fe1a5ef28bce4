import type { Config } from '../../config/config.ts';
import { isGateOpen } from '../../config/feature-gates.ts';
import { explainWrongValue } from '../../config/explain-wrong-value.ts';
import { onceEach, refusalOf } from '../../config/config-problem.ts';
import { modelNotices } from '../../envelope/model-notices.ts';
import type { Catalogue } from '../../envelope/model-record.ts';
import { modelProblem } from '../../config/provider-model.ts';
import { headerNotices } from '../../config/header-notices.ts';
import type { Settings, SpendingLimits } from '../../envelope/settings.ts';
import { realPlace } from '../../disk/folders.ts';
import { loadCatalogue } from '../../gather/catalogue/catalogue-file.ts';
import { configInFolder } from '../../gather/config/config-in-folder.ts';
import {
  type BaseLayers,
  type ConfigOverrides,
  type Overrides,
  withOnlyKeys,
  withOverrides,
  withProfile,
} from '../../gather/config/config-layers.ts';
import { stampOfParts } from '../../gather/config/landlock-record.ts';
import { projectFolders } from '../../gather/files/project-folders.ts';
import { folderProblem } from '../../gather/system/folder.ts';
import { loadInstructionFiles } from '../../gather/instructions/model-instructions.ts';
import { missingRootNotices, unprotectedSubmoduleNotices } from '../../gather/system/places.ts';
import { rulesInFolder } from '../../gather/rules/rules-in-folder.ts';
import { skillSwitches } from '../../gather/skills/skill-places.ts';
import { nameOfProfile } from '../../gather/settings/choose-profile.ts';
import { withoutOthersModel } from '../../gather/settings/moved-thread.ts';
import { settingsFrom } from '../../gather/settings/settings.ts';
import type { SkillSwitch } from '../../planes/skill-switches.ts';
import type { Requirements } from '../../policy/requirements.ts';
import { access, needsSandbox } from '../../policy/access.ts';
import { isWithin, normalisePath } from '../../policy/paths.ts';
import { quotedPath } from '../../policy/quoted-path.ts';
import { approvalName, isSameApproval } from '../../policy/approval-policy.ts';
import { narrowerApproval } from '../../policy/narrower.ts';
import { readSandbox } from '../../policy/read-profile.ts';
import { isWrong } from '../../policy/wrong-value.ts';
import { defined } from '../../protocol/defined.ts';
import type { Json } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy } from '../../protocol/permission-profile.ts';
import { chosenOnly } from '../../state/resumed-settings.ts';
import type { HookDefinition } from '../../hooks/hook-definition.ts';
import { policyInForce } from '../wording/policy-in-force.ts';
import type { EngineParts } from './engine-parts.ts';
import type { ThreadRequest } from './thread-request.ts';
import type { ResumedPast } from './thread-standing.ts';
import { hooksInFolder } from './hooks-in-folder.ts';
import { fallbackNotices } from './fallback-parts.ts';
import { withFittingEffort } from './fitting-effort.ts';
import { deniesNamed, deniesOfProject } from './named-files.ts';
import { type ThreadModels, threadModels } from './thread-models.ts';
import { unusedNotice } from './unused-notice.ts';

export interface ThreadPlace {
  readonly cwd: string;
  readonly resumed?: ResumedPast;
  /** Requests will be sent: a server may be asked about the model. Absent: none is. */
  readonly sends?: true;
}

type Choices = Pick<
  ThreadRequest,
  | keyof typeof keyOfSetting
  | 'limits'
  | 'profile'
  | 'config'
  | 'onlyConfig'
  | 'heldApprovals'
  | 'unlessReviewed'
  | 'sandbox'
  | 'onlyTools'
  | 'withoutTools'
  | 'clientTools'
  | 'changesNothing'
  | 'folderMayBeMissing'
>;

export interface ConfiguredThread {
  readonly config: Config;
  /** Of the provider in the settings. */
  readonly catalogue: Catalogue;
  readonly models: ThreadModels;
  readonly settings: Settings;
  /** Of the permission profile, if it has one. */
  readonly profileName?: string;
  readonly notices: readonly Outcome[];
  /** Those that may run. */
  readonly hooks: readonly HookDefinition[];
  /** What the user turned on or off, later ones over earlier ones. */
  readonly skillSwitches: readonly SkillSwitch[];
}

/** What holds for a thread in its folder. */
export async function configureThread(
  engine: EngineParts,
  place: ThreadPlace,
  {
    heldApprovals,
    unlessReviewed,
    sandbox,
    onlyTools,
    withoutTools,
    clientTools,
    changesNothing,
    folderMayBeMissing,
    ...choices
  }: Choices,
): Promise<ConfiguredThread | Outcome> {
  const { base: everywhere, options, ownPlaces } = engine;
  const { env, cwd: here } = options;
  const chosen = sandbox === undefined ? undefined : readSandbox(sandbox);
  if (isWrong(chosen)) return { code: 'option-wrong', ...explainWrongValue('sandbox', chosen) };
  const cwd = normalisePath(place.cwd);
  if (cwd === undefined) {
    const odd = place.cwd.startsWith('/') ? folderProblem(place.cwd) : undefined;
    return odd ?? relativeFolder(place.cwd);
  }
  const missing = folderMayBeMissing === true ? undefined : folderProblem(cwd);
  if (missing !== undefined) return missing;
  const { base, added } = await withChoices(everywhere, choices, here);
  const loaded = await loadUnchanged(base, cwd, async () => {
    const read = await configInFolder(base, cwd);
    const rules = await rulesInFolder(base, cwd, options);
    const hooks = await hooksInFolder(base, read.layers, { cwd, options, isNew: place.resumed === undefined });
    return { ...read, rules, hooks };
  });
  if ('code' in loaded) return loaded;
  const { config, layers, problems: ofFolder, rules, hooks } = loaded;
  const problems = onceEach([...added, ...ofFolder, ...rules.problems, ...hooks.problems]);
  const error = refusalOf(problems);
  if (error !== undefined) return error;
  const past = place.resumed;
  const foreign = past?.standing === 'ours' ? undefined : past;
  // Few threads come from elsewhere, and no other waits for it.
  const taken = foreign && (await import('./foreign-thread.ts')).takeOverThread(config, foreign, { cwd, env });
  const last = taken?.resumed ?? past?.last;
  const { requirements } = base;
  const make = (denies: (path: string) => boolean) => {
    const texts = loadInstructionFiles(config, { denies });
    if ('code' in texts) return texts;
    const described = loadCatalogue(config, { denies });
    if ('code' in described) return described;
    const before = last && chosenOnly(last, described);
    const { config: named, resumed } = withoutOthersModel({ config, resumed: before }, layers);
    const held = { approval: heldApprovals, unlessReviewed };
    const more = defined({ resumed, ...held, sandbox: chosen, onlyTools, withoutTools, clientTools });
    const all = { ...more, ...defined({ changesNothing }), ...texts, catalogue: described, requirements, rules };
    const made = settingsFrom(named, { cwd, ...all });
    return 'code' in made ? made : { ...made, named, described, ...defined({ resumed, before }) };
  };
  const first = make(deniesNamed({ base, ownPlaces }));
  if ('code' in first) return first;
  // Which files the model may read is known only now.
  const stricter = deniesOfProject(engine, config, first.settings);
  const made = stricter === undefined ? first : make(stricter);
  if ('code' in made) return made;
  const { approvals } = choices;
  if (approvals !== undefined && heldApprovals === undefined) {
    const { approvals: approval } = made.settings;
    const isWider = !isSameApproval(narrowerApproval(approvals, approval), approval);
    if (isWider) return approvalsManaged(approvals, approval);
  }
  const { named, described, resumed, before } = made;
  const { model, provider: id } = made.settings;
  const unnamed =
    named.model === undefined && resumed?.model === undefined && requirements.newThread?.model === undefined;
  const problem = unnamed ? modelProblem(id, config.model) : undefined;
  if (problem !== undefined) return problem;
  const models = threadModels(engine, { config, described });
  const ofProvider = models.of(id);
  if (place.sends === true && !('code' in ofProvider)) await ofProvider.learn(model);
  const catalogue = models.catalogue(made.settings);
  const fitted = withFittingEffort(made.settings, { ...defined({ resumed: before }), layers, catalogue });
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
    // Once per thread is enough.
    ...(past === undefined ? unusedNotice(config) : []),
    ...(past === undefined && place.sends === true ? homeFolderNotices(settings, base.osHome) : []),
  ];
  const profileName = nameOfProfile(config, settings.sandbox);
  const running = switchedOn(hooks.hooks, settings, requirements);
  const switches = skillSwitches(layers, base.osHome);
  const more = defined({ profileName });
  return { config, catalogue, models, settings, notices, hooks: running, skillSwitches: switches, ...more };
}

/**
 * Loads again if the project's files changed meanwhile: a process that Landlock holds may put something there for the
 * moment between the look and the reading.
 */
async function loadUnchanged<Loaded>(
  { config, home }: BaseLayers,
  cwd: string,
  load: () => Promise<Loaded>,
): Promise<Loaded | Outcome> {
  const owners = projectFolders(cwd, config.projectRootMarkers);
  for (let tries = 0; tries < 20; tries += 1) {
    const before = stampOfParts(home, owners);
    const loaded = await load();
    if (stampOfParts(home, owners) === before) return loaded;
  }
  const message = `Files of the project in ${quotedPath(cwd)} change while Capstan reads its configuration.`;
  return { code: 'config-changing', message, next: 'End the program that writes there, then try again.' };
}

/** A folder that holds the user's home, or is it: what commands reach there is more than a project. */
function homeFolderNotices(settings: Settings, osHome: string): readonly Outcome<'home-folder'>[] {
  const [cwd, home] = [realPlace(settings.cwd), realPlace(osHome)];
  if (!isWithin(home, cwd)) return [];
  const policy = policyInForce({ ...settings, cwd });
  const where = cwd === home ? 'your home folder' : `${quotedPath(cwd)}, which holds your home folder`;
  const reach = !needsSandbox(policy)
    ? 'There is no sandbox: commands can read and change all your files'
    : access(policy, home) === 'write'
      ? 'Commands can read and change your own files there, except what the sandbox protects (`capstan sandbox explain -P :workspace` lists it)'
      : access(policy, home) === 'read'
        ? 'Commands can read your own files there, and change none'
        : undefined;
  if (reach === undefined) return [];
  const message = `Capstan works in ${where}. ${reach}.`;
  return [{ code: 'home-folder', message, next: 'Start Capstan in the folder of a project instead.' }];
}

/** The layers as they are for most threads, or with what one of them was given over them. */
async function withChoices(
  all: BaseLayers,
  { limits, profile, config, onlyConfig, ...settings }: Choices,
  cwd: string,
) {
  const base = onlyConfig === undefined ? all : withOnlyKeys(all, onlyConfig);
  const profiled = profile === undefined ? { base, added: [] } : await withProfile(base, profile);
  const configured = config === undefined ? profiled : await withMore(profiled, config, cwd);
  const own = [...overridesOfLimits(limits), ...overridesOfSettings(settings)];
  return own.length === 0 ? configured : withMore(configured, own, cwd);
}

async function withMore(
  { base, added }: Awaited<ReturnType<typeof withOverrides>>,
  config: ConfigOverrides,
  cwd: string,
) {
  const more = await withOverrides(base, { config, cwd });
  return { ...more, added: [...added, ...more.added] };
}

/** Settings by the names that the library has for them, and the configuration. */
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

function overridesOfSettings(settings: Pick<ThreadRequest, keyof typeof keyOfSetting>): Overrides {
  return Object.entries(keyOfSetting).flatMap(([name, key]) => {
    const value = settings[name as keyof typeof keyOfSetting];
    return value === undefined ? [] : [{ path: [key], value: value as Json }];
  });
}

const limitKeys: Readonly<Record<keyof SpendingLimits, string>> = {
  turnTokens: 'max_turn_tokens',
  threadTokens: 'max_thread_tokens',
  turnCost: 'max_turn_cost',
  threadCost: 'max_thread_cost',
};

function overridesOfLimits(limits: SpendingLimits = {}): Overrides {
  return Object.entries(limitKeys).flatMap(([name, key]) => {
    const value = limits[name as keyof SpendingLimits];
    return value === undefined ? [] : [{ path: [key], value }];
  });
}

/** A user who switches hooks off has none of their own. Those of the administrator run all the same. */
function switchedOn(
  hooks: ConfiguredThread['hooks'],
  { features }: Settings,
  { features: required }: Requirements,
): ConfiguredThread['hooks'] {
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
