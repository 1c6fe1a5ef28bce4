import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { type BaseLayers, type ConfigChoices, loadBaseLayers } from '../../adapters/gather/config/config-layers.ts';
import { rulesInFolder } from '../../adapters/gather/config/rules-in-folder.ts';
import { findHome } from '../../adapters/gather/home.ts';
import { findInstructionFiles } from '../../adapters/gather/instruction-files.ts';
import { loadCatalogue } from '../../adapters/gather/model-catalogue-file.ts';
import { loadCatalogueOfProvider } from '../../adapters/gather/provider-models.ts';
import { configuredProfile } from '../../adapters/gather/settings/choose-profile.ts';
import {
  dropConfiguredModelOfOtherProvider,
  providerInConfigFiles,
} from '../../adapters/gather/settings/settings-origins.ts';
import { defaultModel } from '../../adapters/gather/settings/settings.ts';
import { defined } from '../../base/objects.ts';
import { type ConfigLayer, type ConfigProblem, sortBySeverity } from '../../core/config/layer-order.ts';
import type { Config } from '../../core/config/config.ts';
import { defaultLayers } from '../../core/config/defaults.ts';
import { featureSwitches } from '../../core/config/features.ts';
import { type EffectiveValues, effectiveValues } from '../../core/config/keys/inspect-keys.ts';
import type { ProjectTrust } from '../../core/config/project-trust.ts';
import { modelProblem, defaultModelOf } from '../../core/config/providers/built-in-providers.ts';
import { lookUpModel, modelDefaults, type ModelRecord } from '../../core/envelope/model-record.ts';
import { nominalPercent, nominalWindow } from '../../core/envelope/window.ts';
import { approvalName } from '../../core/policy/decide/approval-policy.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import {
  brokenApprovalRequirement,
  brokenProfileRequirement,
  brokenSandboxRequirement,
  brokenReviewerRequirement,
  deniesRead,
  replacementMode,
  type ManagedRequirements,
} from '../../core/policy/requirements.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import type { EngineParts } from '../engine-parts.ts';
import { locatedProvider } from '../models/thread-providers.ts';
import { unusedKeysNotice } from '../thread-setup/configure-thread.ts';

export interface LoadedConfig {
  readonly trust: ProjectTrust;
  /** Lowest first, with the defaults and also the layers that do not count. */
  readonly layers: readonly ConfigLayer[];
  readonly effective: EffectiveValues;
  readonly problems: readonly ConfigProblem[];
  /** Names, in one sentence, the keys that are set but do nothing yet. */
  readonly notices: readonly Outcome[];
  /** The provider for which the files name a model, if a flag chooses another one: then that model does not count. */
  readonly modelIsFor?: string;
  readonly requirements: ManagedRequirements;
  /** Absent if the system has no place for the file. */
  readonly requirementsFile?: string;
}

export async function loadFolderConfig(
  folder: string,
  choices: ConfigChoices & { readonly env: EnvironmentVariables },
): Promise<LoadedConfig | Outcome> {
  const home = findHome(choices.env, choices.osHome);
  if ('code' in home) return home;
  const base = await loadBaseLayers(home.path, choices);
  const { config: given, layers, problems } = await configInFolder(base, folder);
  const config = dropConfiguredModelOfOtherProvider(given, layers);
  const modelIsFor = config.model === given.model ? undefined : providerInConfigFiles(layers);
  const rules = await rulesInFolder(base, folder, choices);
  const models = modelLayers(config, base, choices.env);
  const all = [...defaultLayers(config.trust, config.window), ...models, ...layers];
  return {
    trust: config.trust,
    layers: all,
    effective: effectiveValues(modelIsFor === undefined ? all : all.map(withoutModel), {
      unknown: choices.strictConfig === true ? 'error' : 'warning',
    }),
    problems: sortBySeverity([...base.problems, ...problems, ...rules.problems, ...overruled(config, base)]),
    notices: unusedKeysNotice(config),
    requirements: base.requirements,
    ...defined({ modelIsFor, requirementsFile: base.requirementsFile }),
  };
}

function withoutModel(layer: ConfigLayer): ConfigLayer {
  if (layer.name === 'default' || layer.values['model'] === undefined) return layer;
  const { model: _elsewhere, ...values } = layer.values;
  return { ...layer, values };
}

/** Defaults that depend on the provider, the catalogue and the model. */
function modelLayers(
  config: Config,
  { requirements, home }: BaseLayers,
  env: EnvironmentVariables,
): readonly ConfigLayer[] {
  // If the administrator chose the model of new threads, there is no default. An unreadable catalogue gives none.
  const described =
    requirements.newThread?.model === undefined
      ? loadCatalogue(config, { denies: (path) => deniesRead(requirements, path) || isWithin(path, '/proc') })
      : undefined;
  if (described === undefined || 'code' in described) return [];
  const { modelProvider: provider, modelCatalogJson: file } = config;
  // There is no default model for this provider: a thread would be refused.
  if (config.model === undefined && modelProblem(provider) !== undefined) return [];
  const located = locatedProvider(config, provider, env);
  const catalogue =
    'code' in located
      ? described
      : loadCatalogueOfProvider(home, described, { provider: located, config, environment: env });
  const source = defaultModelOf(provider) === undefined ? (file ?? 'model catalogue') : `model_provider: ${provider}`;
  const fallback = defaultModel(provider, catalogue);
  const { model = fallback } = config;
  const values = ofModel(lookUpModel(catalogue, model), config);
  return [
    { name: 'default', source, values: { model: fallback } },
    { name: 'default', source: `model ${model}`, values },
  ];
}

function ofModel(record: ModelRecord, { window = {} }: Config): JsonObject {
  const { effort, summary, verbosity } = modelDefaults(record);
  return defined({
    model_reasoning_effort: effort,
    model_reasoning_summary: summary,
    model_verbosity: verbosity,
    model_context_window: nominalWindow(record),
    // The percentage does not apply if the user gave the window in tokens.
    window: window.effectiveTokens === undefined ? { effective_percent: nominalPercent(record) } : undefined,
  });
}

/** Values that the layers give but the machine does not allow: they are shown, but not in force. */
function overruled(config: Config, { requirements, requirementsFile }: BaseLayers): readonly ConfigProblem[] {
  const { approvalPolicy, approvalsReviewer: reviewer = 'user', sandboxMode, allowLoginShell, features = {} } = config;
  const approval = brokenApprovalRequirement(requirements, approvalPolicy);
  const reviewers = brokenReviewerRequirement(requirements, reviewer);
  const sandbox = brokenSandboxRequirement(requirements, configuredProfile(config));
  const choice = sandbox === undefined ? brokenProfileRequirement(requirements, configuredProfile(config)) : undefined;
  const named = config.namedProfile?.id;
  const [key, value] = named === undefined ? ['sandbox_mode', sandboxMode] : ['default_permissions', named];
  const loginShell = requirements.allowLoginShell ?? allowLoginShell;
  const shellRule = { key: 'allow_login_shell', source: requirementsFile ?? 'requirements.toml' };
  const { pins = {}, source = '' } = requirements.features ?? {};
  const gates = featureSwitches(features);
  const quoted = (policy: Parameters<typeof approvalName>[0]): string => `"${approvalName(policy)}"`;
  const pinned = Object.keys(pins).filter((name) => gates[name] !== undefined && gates[name] !== pins[name]);
  return [
    ...(approval ? [problem('approval_policy', quoted(approvalPolicy), approval, quoted(approval.allowed[0]))] : []),
    ...(reviewers ? [problem('approvals_reviewer', `"${reviewer}"`, reviewers, `"${reviewers.allowed[0]}"`)] : []),
    ...(sandbox ? [problem(key, `"${value}"`, sandbox, `"${replacementMode(sandbox)}"`)] : []),
    ...(choice ? [problem(key, `"${value}"`, choice, `"${choice.instead.id}"`)] : []),
    ...(loginShell === allowLoginShell
      ? []
      : [problem('allow_login_shell', String(allowLoginShell), shellRule, String(loginShell))]),
    ...pinned.map((name) => {
      const key = `features.${name}`;
      return problem(key, String(gates[name]), { key, source }, String(pins[name]));
    }),
  ];
}

function problem(key: string, value: string, rule: Record<'key' | 'source', string>, instead: string): ConfigProblem {
  return {
    code: 'config-overridden-key',
    message: `${rule.key} in ${rule.source} does not allow ${key} = ${value}: Capstan uses ${instead} instead.`,
    next: 'Ask the administrator of this machine.',
    severity: 'warning',
    source: rule.source,
    key,
  };
}

/** Lists the AGENTS.md files for threads in a folder: the user's own first, then the project's from its root down. */
export async function instructionPaths({ base }: Pick<EngineParts, 'base'>, folder: string) {
  const { config } = await configInFolder(base, folder);
  const denies = (path: string): boolean => deniesRead(base.requirements, path);
  const rules = {
    cwd: folder,
    trusted: config.trust,
    maxBytes: config.projectDocMaxBytes,
    fallbackFilenames: config.projectDocFallbackFilenames,
    rootMarkers: config.projectRootMarkers,
  };
  const found = findInstructionFiles(base.home, rules, { deniesUser: denies, deniesModel: denies });
  return [...found.personal.slice(0, 1), ...found.project].map(({ path }) => path);
}
