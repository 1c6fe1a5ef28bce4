import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/**
 * What a call may not configure, since a model writes its arguments: programs that run outside every sandbox, files that
 * are read outside of it, and servers that keys and conversations are sent to.
 */
const closed = new Set([
  'model_providers',
  'openai_base_url',
  'chatgpt_base_url',
  'otel',
  'notify',
  'hooks',
  'mcp_servers',
  'model_catalog_json',
  'model_instructions_file',
  'experimental_instructions_file',
  'experimental_compact_prompt_file',
]);

/** Why the configuration of a call is refused; undefined if it is not. */
export function refusedConfig(config: JsonObject): Outcome | undefined {
  const path = closedPath(config, []);
  if (path === undefined) return undefined;
  return {
    code: 'config-closed',
    message: `A call cannot configure ${path.join('.').slice(0, 200)}: it names a program, a file or a server.`,
    next: 'Leave it out. The user can set it in config.toml, or with -c when starting the server.',
  };
}

function closedPath(table: JsonObject, above: readonly string[]): readonly string[] | undefined {
  for (const [key, value] of Object.entries(table)) {
    const path = [...above, ...key.split('.')];
    if (isClosed(path)) return path;
    const inner: Json | undefined = value;
    const found = inner !== undefined && isJsonObject(inner) ? closedPath(inner, path) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function isClosed(path: readonly string[]): boolean {
  const names = path.map((name) => name.trim().replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const [first = '', , third = ''] = names;
  return closed.has(first) || (first === 'profiles' && closed.has(third)) || names.includes('command');
}
