import { words } from './keys/key-kinds.ts';
import { isJsonObject, type Json, type JsonObject, objectAt } from '../../protocol/json.ts';

/** Older names of features. The newer name wins if both are set. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['codex_hooks', 'hooks'],
  ['collab', 'multi_agent'],
  ['connectors', 'apps'],
  ['experimental_use_unified_exec_tool', 'unified_exec'],
  ['imagegenext', 'image_generation'],
  ['memory_tool', 'memories'],
  ['request_permissions', 'exec_permission_approvals'],
  ['telepathy', 'chronicle'],
  ['web_search', 'web_search_request'],
]);

export const currentGateName = (name: string): string => aliases.get(name) ?? name;

/** Gates with an effect here; all other names are Codex's and change nothing. `isOpen`: the default. */
const gates = [
  { name: 'current_time_reminder', isOpen: false, does: 'the tool current_time' },
  { name: 'default_mode_request_user_input', isOpen: false, does: 'the tool request_user_input outside plan mode' },
  { name: 'enable_request_compression', isOpen: true, does: 'requests with a ChatGPT login are compressed' },
  { name: 'goals', isOpen: false, does: 'a thread continues by itself until its goal is reached' },
  { name: 'hooks', isOpen: true, does: 'hooks run' },
  { name: 'memories', isOpen: false, does: 'notes about earlier threads are written and read' },
  { name: 'multi_agent', isOpen: false, does: 'the tools that start agents' },
  { name: 'plugins', isOpen: true, does: 'skills of plugins that the configuration enables' },
  { name: 'remote_compaction_v2', isOpen: true, does: 'the newer endpoint for checkpoints of the provider' },
  { name: 'responses_websockets', isOpen: true, does: 'requests over a WebSocket where the provider supports it' },
  { name: 'sleep_tool', isOpen: false, does: 'the tools sleep and current_time' },
  { name: 'image_generation', isOpen: false, does: 'pictures that the provider generates' },
  { name: 'token_budget', isOpen: false, does: 'the tools get_context_remaining and new_context' },
  { name: 'use_legacy_landlock', isOpen: false, does: 'Landlock in the place of bubblewrap' },
] as const;

export type FeatureName = (typeof gates)[number]['name'];
export const usedFeatures: readonly { readonly name: FeatureName; readonly isOpen: boolean; readonly does: string }[] =
  gates;
export type GivenFeatures = Readonly<Record<string, boolean>> | undefined;

export const isGateOpen = (name: FeatureName, given: GivenFeatures): boolean =>
  given?.[name] ?? gates.some((gate) => gate.name === name && gate.isOpen);

export function openGateNames(given: GivenFeatures): readonly string[] {
  const all = { ...Object.fromEntries(gates.map(({ name, isOpen }) => [name, isOpen])), ...given };
  return Object.keys(all).filter((name) => all[name] === true);
}

/** The features that the configuration switches. A feature with a table of its own follows its `enabled`. */
export function featureSwitches(
  given: Readonly<Record<string, boolean | JsonObject>>,
): Readonly<Record<string, boolean>> {
  const gates = Object.entries(given).flatMap(([name, value]): [string, boolean][] => {
    const open = isJsonObject(value) ? value['enabled'] : value;
    return typeof open === 'boolean' ? [[name, open]] : [];
  });
  const renamed = gates.map(([name, open]): [string, boolean] => [currentGateName(name), open]);
  return Object.fromEntries([...renamed, ...gates.filter(([name]) => !aliases.has(name))]);
}

/** Makes features of two layers mergeable: where only one has a table, the other's switch becomes its `enabled`. */
export function withMergeableFeatures(
  lower: JsonObject,
  upper: JsonObject,
): readonly [lower: JsonObject, upper: JsonObject] {
  const [below, above] = [objectAt(lower, 'features'), objectAt(upper, 'features')];
  if (below === undefined || above === undefined) return [lower, upper];
  return [
    { ...lower, features: asTables(below, above) },
    { ...upper, features: asTables(above, below) },
  ];
}

function asTables(features: JsonObject, others: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(features).map(([name, value]): [string, Json | undefined] => [
      name,
      typeof value === 'boolean' && objectAt(others, name) !== undefined ? { enabled: value } : value,
    ]),
  );
}

/** Names that Codex knows under `features`, including renamed and retired ones; any other name is a misspelling. */
export const featureNames = words(`
  analytics_plan_history api_key_model_discovery apply_patch_freeform apply_patch_preserve_line_endings
  apply_patch_streaming_events apps apps_mcp_path_override artifact async_compaction auth_elicitation
  background_paginated_rollout_migration bedrock_setup_wizard browser_annotation_api browser_use
  browser_use_external browser_use_full_cdp_access chronicle code_mode code_mode_buffered_exec code_mode_host
  code_mode_interrupt code_mode_only codex_git_commit codex_hooks collab collaboration_modes
  compaction_image_budget computer_use concurrent_reasoning_summaries connectors content_item_kinds
  context_management credential_masking current_time_reminder cwd_relative_turn_diffs daemon_auto_start
  default_mode_request_user_input deferred_executor deferred_tool_world_state elevated_windows_sandbox
  enable_experimental_windows_sandbox enable_fanout enable_mcp_apps enable_request_compression
  exec_permission_approvals executed_tool_call_metadata executor_capability_discovery
  experimental_use_unified_exec_tool experimental_windows_sandbox external_agent_memory_import external_migration
  fast_mode goals guardian_approval guardian_enhanced_node_repl_transcripts guardian_ext
  guardian_node_repl_transcript_images guardian_reuse_parent_compaction guardianv2 guardianv3 hooks
  image_detail_original image_generation image_resize_notice imagegenext in_app_browser in_app_chat
  in_app_dictation in_app_local_automation in_app_updates in_app_voice incremental_tools instant_interrupt
  item_ids js_repl js_repl_tools_only local_thread_store_compression login_shell_package_path mcp_2026_07_28
  mcp_oauth_refresh_coordination mcp_tool_list_changed memories memory_tool mentions_v2 model_catalog_in_context
  multi_agent multi_agent_mode multi_agent_v2 network_proxy non_prefixed_mcp_tool_names personality
  plugin_discovery_prefetch plugin_hooks plugin_sharing plugins prediction_preserve_parent_tools
  prevent_idle_sleep psp realtime_conversation reasoning_effort_override recommended_plugins remote_compaction_v2
  remote_control remote_models remote_plugin request_permissions request_permissions_tool request_rule
  resize_all_images respect_system_proxy responses_websockets responses_websockets_v2
  retain_client_developer_messages rollout_budget runtime_metrics search_tool secret_auth_storage
  send_async_message shell_snapshot shell_snapshot_v2 shell_tool shell_zsh_fork skill_catalog_deltas
  skill_env_var_dependency_prompt skill_mcp_dependency_install skill_search sleep_tool sqlite
  standalone_web_search steer step_model_switching system_proxy_fallback telepathy terminal_resize_reflow
  terminal_visualization_instructions token_budget tool_call_mcp_elicitation tool_registry tool_search
  tool_search_always_defer_mcp_tools tool_suggest tui_app_server ultrafast_mode unavailable_dummy_tools
  unbounded_connection_retries undo unified_exec unified_exec_tty unified_exec_zsh_fork unified_image_budget
  untrusted_as_tool_output use_agent_identity use_legacy_landlock use_linux_sandbox_bwrap view_image
  wake_on_agent_messages web_search web_search_cached web_search_request workspace_dependencies
  workspace_owner_usage_nudge write_stdin_approval
`);
