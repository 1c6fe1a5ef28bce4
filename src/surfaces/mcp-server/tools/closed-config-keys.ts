import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

const names = 'it names a program, a file or a server';
const trusts = 'it decides which projects are trusted';
const signs = 'it decides which login is used';
const opens = 'it decides which variables commands get';
const guards = 'it is a limit or a guard that the user set';

/**
 * What a call may not configure, since a model writes its arguments: programs that run outside every sandbox, files that
 * are read outside of it, servers that keys and conversations are sent to, what would make a project set these, and the
 * user's own limits and hooks.
 */
const closed: ReadonlyMap<string, string> = new Map([
  ...[
    'model_providers',
    'openai_base_url',
    'chatgpt_base_url',
    'experimental_realtime_webrtc_call_base_url',
    'experimental_realtime_ws_base_url',
    'otel',
    'notify',
    'hooks',
    'mcp_servers',
    'plugins',
    'marketplaces',
    'log_dir',
    'sqlite_home',
    'model_catalog_json',
    'model_instructions_file',
    'experimental_instructions_file',
    'experimental_compact_prompt_file',
  ].map((key) => [key, names] as const),
  ['projects', trusts],
  ['project_root_markers', trusts],
  ['shell_environment_policy', opens],
  ['allow_login_shell', opens],
  ...[
    'max_turn_tokens',
    'max_thread_tokens',
    'max_turn_cost',
    'max_thread_cost',
    'model_prices',
    'answer',
    'blobs',
    'history',
    'sandbox',
    'features.hooks',
    'features.codex_hooks',
    'features.respect_system_proxy',
  ].map((key) => [key, guards] as const),
  ...['cli_auth_credentials_store', 'forced_login_method', 'forced_chatgpt_workspace_id'].map(
    (key) => [key, signs] as const,
  ),
]);

/** Why the configuration of a call is refused; undefined if it is not. */
export function refusedConfig(config: JsonObject): Outcome | undefined {
  const found = closedPath(config, []);
  if (found === undefined) return undefined;
  return {
    code: 'config-closed',
    message: `A call cannot configure ${found.path.join('.').slice(0, 200)}: ${found.why}.`,
    next: 'Leave it out. The user can set it in config.toml, or with -c when starting the server.',
  };
}

interface ClosedPath {
  readonly path: readonly string[];
  readonly why: string;
}

function closedPath(table: JsonObject, above: readonly string[]): ClosedPath | undefined {
  for (const [key, value] of Object.entries(table)) {
    const path = [...above, ...key.split('.')];
    const why = whyClosed(path);
    if (why !== undefined) return { path, why };
    const inner: Json | undefined = value;
    const found = inner !== undefined && isJsonObject(inner) ? closedPath(inner, path) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function whyClosed(path: readonly string[]): string | undefined {
  const spelled = path.map((name) => name.trim().replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const [first = '', second = ''] = spelled[0] === 'profiles' ? spelled.slice(2) : spelled;
  return closed.get(first) ?? closed.get(`${first}.${second}`) ?? (spelled.includes('command') ? names : undefined);
}
