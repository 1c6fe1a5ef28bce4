import type { SandboxMode } from '../../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../../protocol/question.ts';
import { credentialStores, loginMethods, type WebSearchMode, webSearchModes } from '../../policy/requirements.ts';
import { agentsSchema } from '../agents.ts';
import { featureNames } from '../features.ts';
import { choiceKind, booleanKey, keysOfKind, nameKey, stringListKind, textKey, words } from './key-kinds.ts';
import type { SchemaKeys, NamedTablesKind, TableKeyKind, ValuesOf } from './key-kinds.ts';
import { tuiSchema } from './tui-keys.ts';

/** Codex keys that change what its agent does and have no effect here yet. Users are warned. */
const missedKeys = words(`
  apps background_terminal_max_timeout browser_use chatgpt_base_url
  computer_use ghost_snapshot marketplaces
  orchestrator tools
`);

/** Keys for the looks and the storage of another program. A file may serve both programs, so they pass. */
const othersKeys = words(`
  analytics apps_mcp_product_sku audio check_for_update_on_startup desktop
  experimental_realtime_webrtc_call_base_url experimental_realtime_ws_backend_prompt
  experimental_realtime_ws_base_url experimental_realtime_ws_model experimental_realtime_ws_startup_context
  experimental_thread_store experimental_use_unified_exec_tool feedback file_opener hide_agent_reasoning log_dir
  mcp_oauth_callback_port mcp_oauth_callback_url mcp_oauth_credentials_store notice profiles realtime
  responses_api_metadata show_raw_agent_reasoning sqlite_home suppress_unstable_features_warning tool_suggest windows
`);

/** The keys among `names` that a user may expect to work; sorted, without duplicates. */
export const unsupportedKeysIn = (names: readonly string[]): readonly string[] =>
  missedKeys.filter((key) => names.includes(key)).toSorted();
const count = { type: 'integer', min: 0 } as const;
const tokens = { type: 'integer', min: 1 } as const;
const percent = { type: 'integer', min: 1, max: 100 } as const;
const path = { type: 'path' } as const;
const paths = { type: 'path-list' } as const;
const stringMap = { type: 'string-map' } as const;
const variable = { type: 'variable' } as const;
const variableMap = { type: 'variable-map' } as const;
const freeTable = { type: 'free', shape: 'table' } as const;

const namedTables = <Keys extends SchemaKeys>(keys: Keys, unused: readonly string[] = []): NamedTablesKind<Keys> => ({
  type: 'named-tables',
  keys,
  unused,
  names: 'words',
});

function table<Keys extends SchemaKeys>(
  keys: Keys,
  { unused = [], unknown = 'warning' }: Partial<Pick<TableKeyKind<Keys>, 'unused' | 'unknown'>> = {},
): TableKeyKind<Keys> {
  return { type: 'table', keys, unused, unknown };
}

const samplingKeys = {
  temperature: { type: 'number', min: 0, max: 2 },
  stop: stringListKind,
} as const satisfies SchemaKeys;

const providerKeys = {
  name: textKey,
  base_url: nameKey,
  env_key: variable,
  env_key_instructions: textKey,
  experimental_bearer_token: nameKey,
  wire_api: nameKey,
  query_params: stringMap,
  http_headers: stringMap,
  env_http_headers: variableMap,
  request_max_retries: count,
  stream_max_retries: count,
  stream_idle_timeout_ms: tokens,
  requires_openai_auth: booleanKey,
  supports_websockets: booleanKey,
  websocket_connect_timeout_ms: tokens,
  ...samplingKeys,
  models: namedTables(samplingKeys),
  auth: table({
    command: nameKey,
    args: stringListKind,
    timeout_ms: tokens,
    refresh_interval_ms: count,
    cwd: path,
  } as const),
  server_capabilities: table({
    ...keysOfKind(
      booleanKey,
      'developer_role any_role_order any_call_ids returned_thoughts openai_fields stream_usage',
    ),
    max_tokens_field: choiceKind(['max_completion_tokens', 'max_tokens', 'none']),
    ...keysOfKind(booleanKey, 'output_schema parallel_calls pictures freeform_tools'),
    ...keysOfKind(booleanKey, 'remote_compaction access_programs request_compression'),
    window_from: choiceKind(['ollama', 'lmstudio', 'llama.cpp', 'list']),
  } as const),
  // Kept only so that a provider which needs them can be refused when chosen.
  aws: table({}, { unused: ['profile', 'region', 'auth_refresh'] }),
} as const satisfies SchemaKeys;

const amount = { type: 'amount', zero: 'allowed' } as const;
const limit = { type: 'amount', zero: 'refused' } as const;

const priceKeys = {
  ...keysOfKind(amount, 'input cached_input cache_write output'),
  as_of: { type: 'date' },
} as const satisfies SchemaKeys;

const seconds = { type: 'seconds' } as const;
const approvalMode = choiceKind(['auto', 'prompt', 'writes', 'approve']);

const mcpServerKeys = {
  command: nameKey,
  args: stringListKind,
  env: stringMap,
  env_vars: { type: 'free', shape: 'list' },
  cwd: path,
  sandbox: nameKey,
  url: nameKey,
  bearer_token_env_var: variable,
  // Kept only so that it can be refused: a secret does not belong in this file.
  bearer_token: nameKey,
  http_headers: stringMap,
  env_http_headers: variableMap,
  scopes: stringListKind,
  oauth_resource: nameKey,
  oauth: table({ client_id: nameKey, client_secret_env_var: variable, callback_port: count } as const),
  enabled: booleanKey,
  required: booleanKey,
  startup_timeout_sec: seconds,
  startup_timeout_ms: tokens,
  tool_timeout_sec: seconds,
  supports_parallel_tool_calls: booleanKey,
  omit_tools_from: stringListKind,
  default_tools_approval_mode: approvalMode,
  enabled_tools: stringListKind,
  disabled_tools: stringListKind,
  // Saved with an answer: the approval holds only while the server's description of the tool is unchanged.
  tools: namedTables({ approval_mode: approvalMode, approved_digest: nameKey }),
} as const satisfies SchemaKeys;

const clamped = { type: 'integer', min: Number.MIN_SAFE_INTEGER } as const;

const keys = {
  model: nameKey,
  model_provider: nameKey,
  // Checked on use: a file shared with another program must not stop a start that does not need it.
  oss_provider: nameKey,
  model_reasoning_effort: nameKey,
  plan_mode_reasoning_effort: nameKey,
  model_reasoning_summary: choiceKind(['auto', 'concise', 'detailed', 'none']),
  model_verbosity: choiceKind(['low', 'medium', 'high']),
  service_tier: nameKey,
  model_context_window: tokens,
  model_auto_compact_token_limit: tokens,
  model_auto_compact_token_limit_scope: choiceKind(['total', 'body_after_prefix']),
  tool_output_token_limit: count,
  model_catalog_json: path,
  model_prices: namedTables(priceKeys),
  model_fallback: { type: 'model-choice' },
  ...keysOfKind(tokens, 'max_turn_tokens max_thread_tokens'),
  ...keysOfKind(limit, 'max_turn_cost max_thread_cost'),
  window: table({
    effective_percent: percent,
    effective_tokens: tokens,
    auto_compact_percent: percent,
    reserve_percent: { type: 'integer', min: 0, max: 100 },
    skills_percent: percent,
    memory_percent: percent,
    baseline_tokens: count,
  } as const),
  undo: table({ enabled: booleanKey, max_file_bytes: count, max_total_bytes: count } as const),
  blobs: table({ max_bytes: count } as const),
  disable_paste_burst: booleanKey,
  history: table({ persistence: choiceKind(['save-all', 'none']), max_bytes: count } as const),
  answer: table({ max_items: tokens, max_bytes: tokens } as const),
  approval_policy: { type: 'approval-policy' },
  approvals_reviewer: choiceKind<ApprovalsReviewer>(['user', 'auto_review'], { guardian_subagent: 'auto_review' }),
  auto_review: table({ policy: textKey } as const),
  review_model: nameKey,
  web_search: choiceKind<WebSearchMode>(webSearchModes),
  tools: table({ edit: choiceKind(['patch', 'edit']) } as const, {
    unused: ['experimental_request_user_input', 'view_image', 'web_search'],
  }),
  sandbox_mode: choiceKind<SandboxMode>(['read-only', 'workspace-write', 'danger-full-access']),
  sandbox_fallback: choiceKind<'landlock' | 'none'>(['landlock', 'none']),
  sandbox_workspace_write: table(
    {
      writable_roots: paths,
      ...keysOfKind(booleanKey, 'network_access exclude_tmpdir_env_var exclude_slash_tmp'),
    } as const,
    { unknown: 'error' },
  ),
  sandbox: table({ max_processes: tokens, max_memory_mb: tokens } as const, { unknown: 'error' }),
  shell_environment_policy: table(
    {
      inherit: choiceKind(['all', 'core', 'none']),
      ignore_default_excludes: booleanKey,
      exclude: stringListKind,
      set: stringMap,
      include_only: stringListKind,
      filters: { type: 'choice-map', choices: ['include', 'exclude'] },
    } as const,
    { unused: ['experimental_use_profile'], unknown: 'error' },
  ),
  allow_login_shell: booleanKey,
  cli_auth_credentials_store: choiceKind(credentialStores),
  forced_login_method: choiceKind(loginMethods),
  forced_chatgpt_workspace_id: { type: 'string-or-list' },
  developer_instructions: textKey,
  instructions: textKey,
  model_instructions_file: path,
  compaction: table({
    strategy: choiceKind(['auto', 'structured', 'plain', 'remote']),
    max_bytes: tokens,
    timeout_ms: tokens,
  } as const),
  compact_prompt: textKey,
  experimental_compact_prompt_file: path,
  personality: choiceKind(['none', 'friendly', 'pragmatic']),
  ...keysOfKind(booleanKey, 'include_permissions_instructions include_collaboration_mode_instructions'),
  ...keysOfKind(booleanKey, 'include_environment_context include_apps_instructions'),
  experimental_realtime_start_instructions: textKey,
  project_doc_max_bytes: count,
  project_doc_fallback_filenames: stringListKind,
  project_root_markers: stringListKind,
  otel: freeTable,
  openai_base_url: nameKey,
  model_providers: namedTables(providerKeys, ['supports_standalone_web_search']),
  skills: table({
    include_instructions: booleanKey,
    max_context_tokens: { type: 'integer', min: 1, max: 10_000 },
    bundled: table({ enabled: booleanKey } as const),
    config: { type: 'free', shape: 'list' },
  } as const),
  memories: table(
    {
      ...keysOfKind(booleanKey, 'use_memories generate_memories disable_on_external_context'),
      ...keysOfKind(clamped, 'max_raw_memories_for_consolidation max_unused_days max_rollout_age_days'),
      ...keysOfKind(clamped, 'max_rollouts_per_startup min_rollout_idle_hours'),
      ...keysOfKind(nameKey, 'extract_model consolidation_model'),
    } as const,
    { unused: ['dedicated_tools', 'min_rate_limit_remaining_percent'] },
  ),
  goals: table({ max_goal_token_budget: tokens } as const),
  plugins: namedTables({ enabled: booleanKey }, ['mcp_servers']),
  mcp_servers: namedTables(mcpServerKeys, ['auth', 'environment_id', 'http_headers_helper']),
  projects: { ...namedTables({ trust_level: choiceKind(['trusted', 'untrusted']) }), names: 'folders' },
  // Read per layer, since the hooks of all layers run.
  hooks: freeTable,
  // Read as a whole: role names stand beside settings.
  agents: { type: 'free', shape: 'table', checked: agentsSchema },
  notify: stringListKind,
  tui: tuiSchema,
  features: { type: 'toggles', names: featureNames, tables: 'allowed' },
  profile: {
    type: 'retired',
    advice: 'Move the keys of the profile NAME to NAME.config.toml beside this file, and start with --profile NAME.',
  },
  default_permissions: nameKey,
  // Read as a whole after merging: a profile may extend one of another layer.
  permissions: freeTable,
} as const satisfies SchemaKeys;

export type ConfiguredProvider = ValuesOf<typeof providerKeys>;
export type ConfiguredMcpServer = ValuesOf<typeof mcpServerKeys>;
export type GivenConfigValues = ValuesOf<typeof keys>;
export const configSchema: TableKeyKind<typeof keys> = table(keys, { unused: [...missedKeys, ...othersKeys] });
