import type { SandboxMode } from '../../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../../protocol/question.ts';
import { credentialStores, loginMethods, type WebSearchMode, webSearchModes } from '../../policy/requirements.ts';
import { agentsSchema } from '../agents.ts';
import { featureNames } from '../features.ts';
import { choiceKind, flagKind, nameKind, stringListKind, textKind, words } from './key-kinds.ts';
import type { SchemaKeys, NamedTablesKind, TableKind, ValuesOf } from './key-kinds.ts';
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
  { unused = [], unknown = 'warning' }: Partial<Pick<TableKind<Keys>, 'unused' | 'unknown'>> = {},
): TableKind<Keys> {
  return { type: 'table', keys, unused, unknown };
}

const samplingKeys = {
  temperature: { type: 'number', min: 0, max: 2 },
  stop: stringListKind,
} as const satisfies SchemaKeys;

const providerKeys = {
  name: textKind,
  base_url: nameKind,
  env_key: variable,
  env_key_instructions: textKind,
  experimental_bearer_token: nameKind,
  wire_api: nameKind,
  query_params: stringMap,
  http_headers: stringMap,
  env_http_headers: variableMap,
  request_max_retries: count,
  stream_max_retries: count,
  stream_idle_timeout_ms: tokens,
  requires_openai_auth: flagKind,
  supports_websockets: flagKind,
  websocket_connect_timeout_ms: tokens,
  ...samplingKeys,
  models: namedTables(samplingKeys),
  auth: table({
    command: nameKind,
    args: stringListKind,
    timeout_ms: tokens,
    refresh_interval_ms: count,
    cwd: path,
  } as const),
  server_capabilities: table({
    developer_role: flagKind,
    any_role_order: flagKind,
    any_call_ids: flagKind,
    returned_thoughts: flagKind,
    openai_fields: flagKind,
    stream_usage: flagKind,
    max_tokens_field: choiceKind(['max_completion_tokens', 'max_tokens', 'none']),
    output_schema: flagKind,
    parallel_calls: flagKind,
    pictures: flagKind,
    freeform_tools: flagKind,
    remote_compaction: flagKind,
    access_programs: flagKind,
    request_compression: flagKind,
    window_from: choiceKind(['ollama', 'lmstudio', 'llama.cpp', 'list']),
  } as const),
  // Kept only so that a provider which needs them can be refused when chosen.
  aws: table({}, { unused: ['profile', 'region', 'auth_refresh'] }),
} as const satisfies SchemaKeys;

const amount = { type: 'amount', zero: 'allowed' } as const;
const limit = { type: 'amount', zero: 'refused' } as const;

const priceKeys = {
  input: amount,
  cached_input: amount,
  cache_write: amount,
  output: amount,
  as_of: { type: 'date' },
} as const satisfies SchemaKeys;

const seconds = { type: 'seconds' } as const;
const approvalMode = choiceKind(['auto', 'prompt', 'writes', 'approve']);

const mcpServerKeys = {
  command: nameKind,
  args: stringListKind,
  env: stringMap,
  env_vars: { type: 'free', shape: 'list' },
  cwd: path,
  sandbox: nameKind,
  url: nameKind,
  bearer_token_env_var: variable,
  // Kept only so that it can be refused: a secret does not belong in this file.
  bearer_token: nameKind,
  http_headers: stringMap,
  env_http_headers: variableMap,
  scopes: stringListKind,
  oauth_resource: nameKind,
  oauth: table({ client_id: nameKind, client_secret_env_var: variable, callback_port: count } as const),
  enabled: flagKind,
  required: flagKind,
  startup_timeout_sec: seconds,
  startup_timeout_ms: tokens,
  tool_timeout_sec: seconds,
  supports_parallel_tool_calls: flagKind,
  omit_tools_from: stringListKind,
  default_tools_approval_mode: approvalMode,
  enabled_tools: stringListKind,
  disabled_tools: stringListKind,
  // Saved with an answer: the approval holds only while the server's description of the tool is unchanged.
  tools: namedTables({ approval_mode: approvalMode, approved_digest: nameKind }),
} as const satisfies SchemaKeys;

const clamped = { type: 'integer', min: Number.MIN_SAFE_INTEGER } as const;

const keys = {
  model: nameKind,
  model_provider: nameKind,
  // Checked on use: a file shared with another program must not stop a start that does not need it.
  oss_provider: nameKind,
  model_reasoning_effort: nameKind,
  plan_mode_reasoning_effort: nameKind,
  model_reasoning_summary: choiceKind(['auto', 'concise', 'detailed', 'none']),
  model_verbosity: choiceKind(['low', 'medium', 'high']),
  service_tier: nameKind,
  model_context_window: tokens,
  model_auto_compact_token_limit: tokens,
  model_auto_compact_token_limit_scope: choiceKind(['total', 'body_after_prefix']),
  tool_output_token_limit: count,
  model_catalog_json: path,
  model_prices: namedTables(priceKeys),
  model_fallback: { type: 'model-choice' },
  max_turn_tokens: tokens,
  max_thread_tokens: tokens,
  max_turn_cost: limit,
  max_thread_cost: limit,
  window: table({
    effective_percent: percent,
    effective_tokens: tokens,
    auto_compact_percent: percent,
    reserve_percent: { type: 'integer', min: 0, max: 100 },
    skills_percent: percent,
    memory_percent: percent,
    baseline_tokens: count,
  } as const),
  undo: table({ enabled: flagKind, max_file_bytes: count, max_total_bytes: count } as const),
  blobs: table({ max_bytes: count } as const),
  disable_paste_burst: flagKind,
  history: table({ persistence: choiceKind(['save-all', 'none']), max_bytes: count } as const),
  answer: table({ max_items: tokens, max_bytes: tokens } as const),
  approval_policy: { type: 'approval-policy' },
  approvals_reviewer: choiceKind<ApprovalsReviewer>(['user', 'auto_review'], { guardian_subagent: 'auto_review' }),
  auto_review: table({ policy: textKind } as const),
  review_model: nameKind,
  web_search: choiceKind<WebSearchMode>(webSearchModes),
  tools: table({ edit: choiceKind(['patch', 'edit']) } as const, {
    unused: ['experimental_request_user_input', 'view_image', 'web_search'],
  }),
  sandbox_mode: choiceKind<SandboxMode>(['read-only', 'workspace-write', 'danger-full-access']),
  sandbox_fallback: choiceKind<'landlock' | 'none'>(['landlock', 'none']),
  sandbox_workspace_write: table(
    {
      writable_roots: paths,
      network_access: flagKind,
      exclude_tmpdir_env_var: flagKind,
      exclude_slash_tmp: flagKind,
    } as const,
    { unknown: 'error' },
  ),
  sandbox: table({ max_processes: tokens, max_memory_mb: tokens } as const, { unknown: 'error' }),
  shell_environment_policy: table(
    {
      inherit: choiceKind(['all', 'core', 'none']),
      ignore_default_excludes: flagKind,
      exclude: stringListKind,
      set: stringMap,
      include_only: stringListKind,
      filters: { type: 'choice-map', choices: ['include', 'exclude'] },
    } as const,
    { unused: ['experimental_use_profile'], unknown: 'error' },
  ),
  allow_login_shell: flagKind,
  cli_auth_credentials_store: choiceKind(credentialStores),
  forced_login_method: choiceKind(loginMethods),
  forced_chatgpt_workspace_id: { type: 'string-or-list' },
  developer_instructions: textKind,
  instructions: textKind,
  model_instructions_file: path,
  compaction: table({
    strategy: choiceKind(['auto', 'structured', 'plain', 'remote']),
    max_bytes: tokens,
    timeout_ms: tokens,
  } as const),
  compact_prompt: textKind,
  experimental_compact_prompt_file: path,
  personality: choiceKind(['none', 'friendly', 'pragmatic']),
  include_permissions_instructions: flagKind,
  include_collaboration_mode_instructions: flagKind,
  include_environment_context: flagKind,
  include_apps_instructions: flagKind,
  experimental_realtime_start_instructions: textKind,
  project_doc_max_bytes: count,
  project_doc_fallback_filenames: stringListKind,
  project_root_markers: stringListKind,
  otel: freeTable,
  openai_base_url: nameKind,
  model_providers: namedTables(providerKeys, ['supports_standalone_web_search']),
  skills: table({
    include_instructions: flagKind,
    max_context_tokens: { type: 'integer', min: 1, max: 10_000 },
    bundled: table({ enabled: flagKind } as const),
    config: { type: 'free', shape: 'list' },
  } as const),
  memories: table(
    {
      use_memories: flagKind,
      generate_memories: flagKind,
      disable_on_external_context: flagKind,
      max_raw_memories_for_consolidation: clamped,
      max_unused_days: clamped,
      max_rollout_age_days: clamped,
      max_rollouts_per_startup: clamped,
      min_rollout_idle_hours: clamped,
      extract_model: nameKind,
      consolidation_model: nameKind,
    } as const,
    { unused: ['dedicated_tools', 'min_rate_limit_remaining_percent'] },
  ),
  goals: table({ max_goal_token_budget: tokens } as const),
  plugins: namedTables({ enabled: flagKind }, ['mcp_servers']),
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
  default_permissions: nameKind,
  // Read as a whole after merging: a profile may extend one of another layer.
  permissions: freeTable,
} as const satisfies SchemaKeys;

export type ConfiguredProvider = ValuesOf<typeof providerKeys>;
export type ConfiguredMcpServer = ValuesOf<typeof mcpServerKeys>;
export type GivenValues = ValuesOf<typeof keys>;

export const configSchema: TableKind<typeof keys> = table(keys, { unused: [...missedKeys, ...othersKeys] });
