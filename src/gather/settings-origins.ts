import type { Config } from '../config/config.ts';
import { originOf } from '../config/key-origins.ts';
import type { Settings } from '../envelope/settings.ts';

export type SettingName = Exclude<keyof Settings, 'cwd' | 'origins'>;

/** The keys of the configuration behind each setting. */
const keysOf: Readonly<Partial<Record<SettingName, readonly string[]>>> = {
  model: ['model'],
  provider: ['model_provider'],
  effort: ['model_reasoning_effort'],
  summary: ['model_reasoning_summary'],
  verbosity: ['model_verbosity'],
  serviceTier: ['service_tier'],
  approval: ['approval_policy'],
  askedApproval: ['approval_policy'],
  profile: ['sandbox_mode', 'sandbox_workspace_write'],
  shellEnvironment: ['shell_environment_policy'],
  developerInstructions: ['developer_instructions'],
  instructionRules: ['project_doc_max_bytes', 'project_doc_fallback_filenames', 'project_root_markers'],
  personality: ['personality'],
  realtime: ['experimental_realtime_start_instructions'],
  leaveOut: [
    'include_permissions_instructions',
    'include_collaboration_mode_instructions',
    'include_environment_context',
    'include_apps_instructions',
  ],
  features: ['features'],
  compaction: ['compaction'],
  window: [
    'window',
    'model_context_window',
    'model_auto_compact_token_limit',
    'model_auto_compact_token_limit_scope',
    'tool_output_token_limit',
  ],
};

/** Who in the configuration decided a setting; undefined for a default. */
export function configuredOrigin({ origins }: Config, name: SettingName): string | undefined {
  return originOf(origins, keysOf[name] ?? []);
}

/** The flags or the managed file decided it, so that it beats what a resumed thread had. */
export function isPinned(config: Config, name: SettingName): boolean {
  const keys = keysOf[name] ?? [];
  return [...config.pinned.keys()].some((set) => keys.some((key) => set === key || set.startsWith(`${key}.`)));
}
