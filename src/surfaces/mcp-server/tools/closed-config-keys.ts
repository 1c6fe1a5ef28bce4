import { forbiddenKeys } from '../../../config/project-keys.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

const names = 'it names a program, a file or a server';
const opens = 'it decides which variables commands get';
const permits = 'it decides what commands may access, or who answers for the user';
const limits = 'it limits what threads and agents may use';
const keeps = 'it decides what is kept for the user';

/** A call may choose among what the user configured. No thread may set the last two, whoever opens it. */
const notClosed: ReadonlySet<string> = new Set([
  'model_provider',
  'profile',
  'profiles',
  'sandbox_fallback',
  'features.use_legacy_landlock',
]);

/**
 * What a call may not configure, since a model writes its arguments: what no project may set, programs that run outside
 * every sandbox, files that are read outside of it, which variables commands get, profiles of permissions (a call names
 * one with `default_permissions`), who reviews, limits, undo and notes.
 */
const closed: ReadonlyMap<string, string> = new Map([
  ...forbiddenKeys
    .map((path) => path.join('.'))
    .filter((key) => !notClosed.has(key))
    .map((key) => [key, 'only the user decides about it'] as const),
  ...`hooks mcp_servers plugins marketplaces log_dir sqlite_home model_catalog_json model_instructions_file
    experimental_instructions_file experimental_compact_prompt_file`
    .split(/\s+/)
    .map((key) => [key, names] as const),
  ...['permissions', 'approvals_reviewer', 'auto_review'].map((key) => [key, permits] as const),
  ...['agents', 'goals'].map((key) => [key, limits] as const),
  ...['undo', 'memories', 'features.memories', 'features.memory_tool'].map((key) => [key, keeps] as const),
  ['shell_environment_policy', opens],
  ['allow_login_shell', opens],
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
  const own = spelled[0] === 'profiles' ? spelled.slice(2) : spelled;
  const found = own.map((_, at) => closed.get(own.slice(0, at + 1).join('.'))).find((why) => why !== undefined);
  return found ?? (spelled.includes('command') ? names : undefined);
}
