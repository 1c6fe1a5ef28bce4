import { defaultLayers } from '../../config/defaults.ts';
import type { Config } from '../../config/config.ts';
import type { ConfigLayer } from '../../config/config-layer.ts';
import { byGravity, type ConfigProblem } from '../../config/config-problem.ts';
import { type EffectiveValues, effectiveValues } from '../../config/effective-values.ts';
import { featureGates } from '../../config/feature-gates.ts';
import { modelProblem, providerModel } from '../../config/provider-model.ts';
import type { Trust } from '../../config/trust.ts';
import { type Catalogue, lookUpModel, type ModelRecord, modelDefaults } from '../../envelope/model-record.ts';
import { nominalPercent, nominalWindow } from '../../envelope/window.ts';
import { loadCatalogue } from '../../gather/catalogue/catalogue-file.ts';
import { loadCatalogueOfProvider } from '../../gather/catalogue/catalogue-of-provider.ts';
import { configInFolder } from '../../gather/config/config-in-folder.ts';
import { providerInFiles, withoutModelOfOther } from '../../gather/settings/moved-thread.ts';
import { defaultModel } from '../../gather/settings/settings.ts';
import { type BaseLayers, type ConfigChoices, loadBaseLayers } from '../../gather/config/config-layers.ts';
import { configuredProfile } from '../../gather/settings/choose-profile.ts';
import { rulesInFolder } from '../../gather/rules/rules-in-folder.ts';
import { findHome } from '../../gather/system/home.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import { isWithin } from '../../policy/paths.ts';
import {
  brokenByApproval,
  brokenByChoice,
  brokenByProfile,
  brokenByReviewer,
  modeInstead,
  type Requirements,
} from '../../policy/requirements.ts';
import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Variables } from '../../protocol/variables.ts';
import { locatedProvider } from './thread-providers.ts';
import { unusedNotice } from './unused-notice.ts';
import { approvalName } from '../../policy/approval-policy.ts';

/** Everything about the configuration in one folder that can be shown. */
export interface Configured {
  readonly trust: Trust;
  /** Lowest first: the defaults, and also the layers that do not count. */
  readonly layers: readonly ConfigLayer[];
  readonly effective: EffectiveValues;
  readonly problems: readonly ConfigProblem[];
  /** Keys that are set and do nothing yet, in one sentence. */
  readonly notices: readonly Outcome[];
  /** The files name a model for this provider, and a flag chooses another one: their model does not count. */
  readonly modelIsFor?: string;
  readonly requirements: Requirements;
  /** Where they are looked for; absent where the system has no place for them. */
  readonly requirementsFile?: string;
}

export async function loadConfigured(
  folder: string,
  choices: ConfigChoices & { readonly env: Variables },
): Promise<Configured | Outcome> {
  const home = findHome(choices.env, choices.osHome);
  if ('code' in home) return home;
  const base = await loadBaseLayers(home.path, choices);
  const { config: given, layers, problems } = await configInFolder(base, folder);
  const config = withoutModelOfOther(given, layers);
  const modelIsFor = config.model === given.model ? undefined : providerInFiles(layers);
  const rules = await rulesInFolder(base, folder, choices);
  const models = modelLayers(config, base, choices.env);
  const all = [...defaultLayers(config.trust, config.window), ...models, ...layers];
  return {
    trust: config.trust,
    layers: all,
    effective: effectiveValues(modelIsFor === undefined ? all : all.map(withoutModel), {
      unknown: choices.strictConfig === true ? 'error' : 'warning',
    }),
    problems: byGravity([...base.problems, ...problems, ...rules.problems, ...overruled(config, base)]),
    notices: unusedNotice(config),
    requirements: base.requirements,
    ...defined({ modelIsFor, requirementsFile: base.requirementsFile }),
  };
}

function withoutModel(layer: ConfigLayer): ConfigLayer {
  if (layer.name === 'default' || layer.values['model'] === undefined) return layer;
  const { model: _elsewhere, ...values } = layer.values;
  return { ...layer, values };
}

/** Defaults that are no constants: they depend on the provider, the catalogue and the model. */
function modelLayers(config: Config, { requirements, home }: BaseLayers, env: Variables): readonly ConfigLayer[] {
  // The administrator gives new threads another one. A file that cannot be read has no say in it.
  const described =
    requirements.newThread?.model === undefined
      ? loadCatalogue(config, { denies: (path) => deniesRead(requirements, path) || isWithin(path, '/proc') })
      : undefined;
  if (described === undefined || 'code' in described) return [];
  const { modelProvider: provider, modelCatalogJson: file } = config;
  // A thread would be refused.
  if (config.model === undefined && modelProblem(provider) !== undefined) return [];
  const catalogue = withKept(described, { config, home, env });
  const source = providerModel(provider) === undefined ? (file ?? 'model catalogue') : `model_provider: ${provider}`;
  const fallback = defaultModel(provider, catalogue);
  const { model = fallback } = config;
  const values = ofModel(lookUpModel(catalogue, model), config);
  return [
    { name: 'default', source, values: { model: fallback } },
    { name: 'default', source: `model ${model}`, values },
  ];
}

/** With what is kept of the provider's models. No server is asked. */
function withKept(
  described: Catalogue,
  { config, home, env }: { readonly config: Config; readonly home: string; readonly env: Variables },
): Catalogue {
  const provider = locatedProvider(config, config.modelProvider, env);
  if ('code' in provider) return described;
  return loadCatalogueOfProvider(home, described, { provider, config, environment: env });
}

/** What holds with a model where nothing is set. */
function ofModel(record: ModelRecord, { window = {} }: Config): JsonObject {
  const { effort, summary, verbosity } = modelDefaults(record);
  return defined({
    model_reasoning_effort: effort,
    model_reasoning_summary: summary,
    model_verbosity: verbosity,
    model_context_window: nominalWindow(record),
    // A number of tokens stands for the share.
    window: window.effectiveTokens === undefined ? { effective_percent: nominalPercent(record) } : undefined,
  });
}

/** Values that the layers give and the machine does not allow: what is shown of them does not hold. */
function overruled(config: Config, { requirements, requirementsFile }: BaseLayers): readonly ConfigProblem[] {
  const { approvalPolicy, approvalsReviewer: reviewer = 'user', sandboxMode, allowLoginShell, features = {} } = config;
  const approval = brokenByApproval(requirements, approvalPolicy);
  const reviewers = brokenByReviewer(requirements, reviewer);
  const sandbox = brokenByProfile(requirements, configuredProfile(config));
  const choice = sandbox === undefined ? brokenByChoice(requirements, configuredProfile(config)) : undefined;
  const named = config.namedProfile?.id;
  const [key, value] = named === undefined ? ['sandbox_mode', sandboxMode] : ['default_permissions', named];
  const loginShell = requirements.allowLoginShell ?? allowLoginShell;
  const shellRule = { key: 'allow_login_shell', source: requirementsFile ?? 'requirements.toml' };
  const { pins = {}, source = '' } = requirements.features ?? {};
  const gates = featureGates(features);
  const pinned = Object.keys(pins).filter((name) => gates[name] !== undefined && gates[name] !== pins[name]);
  return [
    ...(approval
      ? [
          problem(
            'approval_policy',
            `"${approvalName(approvalPolicy)}"`,
            approval,
            `"${approvalName(approval.allowed[0])}"`,
          ),
        ]
      : []),
    ...(reviewers ? [problem('approvals_reviewer', `"${reviewer}"`, reviewers, `"${reviewers.allowed[0]}"`)] : []),
    ...(sandbox ? [problem(key, `"${value}"`, sandbox, `"${modeInstead(sandbox)}"`)] : []),
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
