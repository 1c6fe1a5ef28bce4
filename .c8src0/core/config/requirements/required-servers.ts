import { wholePattern } from '../../policy/allowed-mcp-servers.ts';
import type { AllowedServers, ServerIdentity, TextMatcher } from '../../policy/allowed-mcp-servers.ts';
import { unknownTableKey, wrongType, wrongValue } from '../../policy/profiles/tables/profile-tables.ts';
import type { TableProblem } from '../../policy/profiles/tables/profile-tables.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { type ConfigLayer, configKeySource } from '../layer-order.ts';

export type AllowedServersResult = { readonly servers?: AllowedServers; readonly problems: readonly TableProblem[] };

const key = 'mcp_servers';

/** An empty table allows no MCP server. */
export function parseAllowedServers(file: ConfigLayer): AllowedServersResult {
  const table = file.values[key];
  if (!isJsonObject(table)) return { problems: [] };
  const problems: TableProblem[] = [];
  const allowed = Object.entries(table).flatMap(([name, entry]) => {
    const identity = identityOf([key, name], entry ?? null, problems);
    return identity === undefined ? [] : [[name, identity] as const];
  });
  return { servers: { allowed: Object.fromEntries(allowed), source: configKeySource(file, [key]) }, problems };
}

type Path = readonly string[];

function identityOf(path: Path, entry: Json, problems: TableProblem[]): ServerIdentity | undefined {
  const server = tableAt(path, entry, ['identity'], problems);
  const at = [...path, 'identity'];
  const identity = server && tableAt(at, server['identity'] ?? null, ['command', 'url'], problems);
  if (identity === undefined) return undefined;
  const { command, url } = identity;
  if ((command === undefined) === (url === undefined)) {
    problems.push(wrongValue(at, 'must have either a command or a url', 'Write one of them.'));
    return undefined;
  }
  if (url !== undefined) {
    const matcher = typeof url === 'string' ? exactly(url) : matcherOf([...at, 'url'], url, problems);
    return matcher && { kind: 'address', url: matcher };
  }
  if (typeof command === 'string') return { kind: 'program', command };
  return programOf([...at, 'command'], command ?? null, problems);
}

function programOf(path: Path, given: Json, problems: TableProblem[]): ServerIdentity | undefined {
  const table = tableAt(path, given, ['executable', 'args'], problems);
  if (table === undefined) return undefined;
  const { executable, args } = table;
  if (typeof executable !== 'string') problems.push(wrongType([...path, 'executable'], 'a string', executable ?? null));
  if (!Array.isArray(args)) problems.push(wrongType([...path, 'args'], 'a list of tables', args ?? null));
  if (typeof executable !== 'string' || !Array.isArray(args)) return undefined;
  const matchers = (args as readonly Json[]).map((each) => matcherOf([...path, 'args'], each, problems));
  const read = matchers.filter((matcher) => matcher !== undefined);
  return read.length === matchers.length ? { kind: 'program', command: executable, args: read } : undefined;
}

function matcherOf(path: Path, given: Json, problems: TableProblem[]): TextMatcher | undefined {
  const table = tableAt(path, given, ['match', 'value', 'expression'], problems);
  if (table === undefined) return undefined;
  const { match, value, expression } = table;
  if ((match === 'exact' || match === 'prefix') && typeof value === 'string' && expression === undefined)
    return { match, value };
  if (match === 'regex' && typeof expression === 'string' && value === undefined) {
    if (isPattern(expression)) return { match, expression };
    problems.push(wrongValue(path, `has no valid regular expression (${expression})`, 'Correct it.'));
    return undefined;
  }
  const next =
    'Write { match = "exact", value = "…" }, the same with "prefix", or { match = "regex", expression = "…" }.';
  problems.push(wrongValue(path, 'is not a matcher', next));
  return undefined;
}

const exactly = (value: string): TextMatcher => ({ match: 'exact', value });

function isPattern(expression: string): boolean {
  try {
    return wholePattern(expression) instanceof RegExp;
  } catch {
    return false;
  }
}

function tableAt(path: Path, given: Json, known: readonly string[], problems: TableProblem[]): JsonObject | undefined {
  if (!isJsonObject(given)) {
    problems.push(wrongType(path, 'a table', given));
    return undefined;
  }
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) problems.push(unknownTableKey([...path, name], known));
  }
  return given;
}
