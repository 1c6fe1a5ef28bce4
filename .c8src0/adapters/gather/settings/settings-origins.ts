import type { ConfigLayer } from '../../../core/config/layer-order.ts';
import { type Config, originOfKeys } from '../../../core/config/config.ts';
import { builtInProvider } from '../../../core/config/providers/built-in-providers.ts';
import type { Settings, SpendingLimits, WindowSettings } from '../../../core/envelope/settings.ts';
import type { LastSettings } from '../../../core/state/resumed-settings.ts';
import { stringAt } from '../../../protocol/json.ts';

export type SettingName = Exclude<keyof Settings, 'cwd' | 'origins'>;

const keysOf: Readonly<Partial<Record<SettingName, readonly string[]>>> = {
  model: ['model'],
  provider: ['model_provider'],
  effort: ['model_reasoning_effort'],
  planEffort: ['plan_mode_reasoning_effort'],
  summary: ['model_reasoning_summary'],
  verbosity: ['model_verbosity'],
  serviceTier: ['service_tier'],
  approvals: ['approval_policy'],
  askedApproval: ['approval_policy'],
  reviewer: ['approvals_reviewer'],
  reviewPolicy: ['auto_review'],
  sandbox: ['sandbox_mode', 'sandbox_workspace_write', 'default_permissions', 'permissions'],
  shellEnvironment: ['shell_environment_policy'],
  developerInstructions: ['developer_instructions'],
  compactPrompt: ['compact_prompt', 'experimental_compact_prompt_file'],
  personality: ['personality'],
  leaveOut: [
    'include_permissions_instructions',
    'include_collaboration_mode_instructions',
    'include_environment_context',
    'include_apps_instructions',
    'skills.include_instructions',
  ],
  features: ['features'],
  editTools: ['tools.edit'],
  compaction: ['compaction'],
  fallback: ['model_fallback'],
};

/** The key for each part of a combined setting. Parts have their own origins: one may be set and another a default. */
const keysOfParts = {
  instructionRules: {
    maxBytes: 'project_doc_max_bytes',
    fallbackFilenames: 'project_doc_fallback_filenames',
    rootMarkers: 'project_root_markers',
  },
  limits: {
    turnTokens: 'max_turn_tokens',
    threadTokens: 'max_thread_tokens',
    turnCost: 'max_turn_cost',
    threadCost: 'max_thread_cost',
  } satisfies Readonly<Record<keyof SpendingLimits, string>>,
  realtime: { startInstructions: 'experimental_realtime_start_instructions' },
  window: {
    contextWindow: 'model_context_window',
    effectivePercent: 'window.effective_percent',
    effectiveTokens: 'window.effective_tokens',
    autoCompactPercent: 'window.auto_compact_percent',
    autoCompactTokens: 'model_auto_compact_token_limit',
    autoCompactScope: 'model_auto_compact_token_limit_scope',
    reservePercent: 'window.reserve_percent',
    skillsPercent: 'window.skills_percent',
    skillsTokens: 'skills.max_context_tokens',
    memoryPercent: 'window.memory_percent',
    baselineTokens: 'window.baseline_tokens',
    toolOutputTokens: 'tool_output_token_limit',
  } satisfies Readonly<Record<keyof WindowSettings, string>>,
} as const satisfies Partial<Record<SettingName, Readonly<Record<string, string>>>>;

export function settingPartOrigins({ origins }: Config, settings: PartedSettings): Readonly<Record<string, string>> {
  const found = Object.entries(keysOfParts).flatMap(([name, keys]) => {
    const parts: object = settings[name as keyof PartedSettings] ?? {};
    return Object.entries(keys).flatMap(([part, key]) => {
      const origin = Object.hasOwn(parts, part) ? origins.get(key) : undefined;
      return origin === undefined ? [] : [[`${name}.${part}`, origin] as const];
    });
  });
  return Object.fromEntries(found);
}

type PartedSettings = Partial<Pick<Settings, keyof typeof keysOfParts>>;

/** Undefined for a default. */
export function configuredOrigin({ origins }: Config, name: SettingName): string | undefined {
  return originOfKeys(origins, keysOf[name] ?? []);
}

/** Set by flags or the managed file, so it wins over a resumed thread's value. */
export function isPinnedSetting(config: Config, name: SettingName): boolean {
  const keys = keysOf[name] ?? [];
  return [...config.pinned.keys()].some((set) => keys.some((key) => set === key || set.startsWith(`${key}.`)));
}

type Resumed = { readonly config: Config; readonly resumed: LastSettings | undefined };

/**
 * Handles a flag that moves a thread to another provider without naming a model. The thread gets the model that the
 * files name for that provider, else the default. If the user defined the provider, it may offer the thread's model:
 * without one in the files, the thread keeps its own. A new thread counts as moved from the provider in the files.
 */
export function dropModelOfOtherProvider({ config, resumed }: Resumed, layers: readonly ConfigLayer[]): Resumed {
  const { modelProvider: id } = config;
  if (resumed === undefined) return { config: dropConfiguredModelOfOtherProvider(config, layers), resumed };
  const isMoved = resumed.provider !== undefined && resumed.provider !== id && isPinnedSetting(config, 'provider');
  if (!isMoved || isPinnedSetting(config, 'model')) return { config, resumed };
  const isMeant = config.model !== undefined && providerInConfigFiles(layers) === id;
  if (!isMeant && builtInProvider(id) === undefined) return { config, resumed };
  const { model: _there, ...rest } = resumed;
  return { config: dropConfiguredModelOfOtherProvider(config, layers), resumed: rest };
}

export function dropConfiguredModelOfOtherProvider(config: Config, layers: readonly ConfigLayer[]): Config {
  const { modelProvider: id } = config;
  if (!isPinnedSetting(config, 'provider') || isPinnedSetting(config, 'model')) return config;
  if (builtInProvider(id) === undefined || providerInConfigFiles(layers) === id) return config;
  const { model: _elsewhere, ...others } = config;
  return others;
}

export function providerInConfigFiles(layers: readonly ConfigLayer[]): string {
  return valueInConfigFiles(layers, 'model_provider') ?? 'openai';
}

export function valueInConfigFiles(layers: readonly ConfigLayer[], key: string): string | undefined {
  const set = layers
    .filter(({ name, disabled }) => name !== 'flags' && disabled === undefined)
    .map(({ values }) => stringAt(values, key));
  return set.findLast((value) => value !== undefined);
}
