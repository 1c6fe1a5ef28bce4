import { valueOr } from '../../base/objects.ts';
import type { ConfigProblem } from '../../core/config/layer-order.ts';
import { type JsonObject, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { readBounded } from '../disk/regular-files.ts';
import { parseHooks, compileMatchers } from './hook-definitions.ts';
import type { HookDefinition, HookSource, HookTrust, KnownHook, ParsedHooks } from './hook-definitions.ts';

export interface HookPlaces {
  readonly places: readonly (HookSource & {
    /** Table from a configuration file. Absent: `path` is a `hooks.json`. */
    readonly table?: JsonObject;
  })[];
  readonly state: JsonObject;
  denies?(path: string): boolean;
}

export async function loadHooks({ places, state, denies }: HookPlaces) {
  const read = places.map(({ table, ...source }) => {
    if (table === undefined) return readHooksFile(source, denies);
    // A table may hold decisions about hooks beside the events.
    const { state: _state, managed_dir: _folder, windows_managed_dir: _other, ...events } = table;
    return parseHooks(events, source);
  });
  const patterns = read.flatMap((each) => each.patterns);
  const broken = (await compileMatchers(patterns.map(({ matcher }) => matcher))).problems;
  return {
    hooks: read
      .flatMap(({ hooks }) => hooks)
      .filter(({ matcher }) => matcher === undefined || !broken.has(matcher))
      .map((hook): KnownHook => ({ ...hook, trust: trustIn(state, hook) })),
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...patterns.flatMap(({ matcher, problem }) => (broken.has(matcher) ? [problem(broken.get(matcher) ?? '')] : [])),
    ],
  };
}

function trustIn(state: JsonObject, { key, hash, source }: HookDefinition): HookTrust {
  if (source.owner === 'managed') return 'managed';
  const decided = objectAt(state, key);
  const trusted = stringAt(decided, 'trusted_hash');
  if (decided?.['enabled'] === false) return 'disabled';
  if (trusted === hash) return 'trusted';
  return trusted === undefined ? 'untrusted' : 'modified';
}

export const mayRunHook = ({ trust }: Pick<KnownHook, 'trust'>): boolean => trust === 'managed' || trust === 'trusted';
const mostBytes = 1_000_000;

/** Reads a `hooks.json`, which may be missing. An unreadable one is an error if the administrator manages it. */
export function readHooksFile(source: HookSource, denies?: (path: string) => boolean): ParsedHooks {
  const { path, owner } = source;
  const severity = owner === 'managed' ? 'error' : 'warning';
  const fault = (what: string, next: string): ParsedHooks => {
    const problem = { code: 'hooks-unreadable', message: `${path} ${what}`, next, severity, source: path } as const;
    return { hooks: [], problems: [problem], patterns: [] };
  };
  const file = readBounded(path, { maxBytes: mostBytes, denies });
  if (file.kind === 'missing') return { hooks: [], problems: [], patterns: [] };
  if (file.kind === 'unread') return fault(`cannot be read: ${file.reason}.`, `Make it a readable file, or delete it.`);
  const text = file.bytes.toString('utf8').replace(/^\uFEFF/, '');
  const root = parseJsonObject(text);
  if (root === undefined) {
    const where = jsonFault(text);
    const what = where === undefined ? 'is no JSON object.' : `is no valid JSON: ${where}.`;
    return fault(`${what} Its hooks do not run.`, 'Correct it, or delete it.');
  }
  const table = objectAt(root, 'hooks');
  if (table === undefined)
    return fault('has no table `hooks`. Its hooks do not run.', 'Put the events into {"hooks": {…}}.');
  const lineOf = (path: readonly (string | number)[]): number | undefined => jsonKeyLine(text, ['hooks', ...path]);
  const odd = Object.keys(root).filter((key) => key !== 'hooks' && key !== 'description');
  const read = parseHooks(table, source, lineOf);
  const beside = odd.map((key) => besideHooks(source, key, jsonKeyLine(text, [key])));
  return { ...read, problems: [...beside, ...read.problems] };
}

function besideHooks({ path }: HookSource, key: string, line: number | undefined): ConfigProblem {
  const message = `${path}${line === undefined ? '' : `:${line}`}: ${JSON.stringify(key)} is not a known key. Capstan ignores it.`;
  const next = 'Put events into {"hooks": {…}}, or remove the key.';
  return { code: 'hooks-broken', message, next, severity: 'warning', source: path, line };
}

/**
 * The line, from 1, of a key in a JSON document, or of the nearest place around it. Members of lists have their
 * position as a key. Only for messages, and for documents that the parser has accepted.
 */
function jsonKeyLine(text: string, path: readonly (string | number)[]): number | undefined {
  const open: { key: string | number | undefined; readonly isList: boolean }[] = [];
  let found = { depth: 0, at: -1 };
  let wasText: string | undefined;
  const look = (at: number): void => {
    const here = open.map(({ key }) => key);
    const isOn = here.every((key, index) => key === path[index]) && here.length <= path.length;
    if (isOn && here.length > found.depth) found = { depth: here.length, at };
  };
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g)) {
    const [token] = match;
    const inner = open.at(-1);
    if (token === ':' && inner !== undefined) {
      inner.key = keyOf(wasText ?? '""');
      look(match.index);
    } else if (token === '{' || token === '[') {
      open.push({ key: token === '[' ? 0 : undefined, isList: token === '[' });
      if (token === '[') look(match.index);
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && inner?.isList === true) {
      inner.key = Number(inner.key) + 1;
      look(match.index);
    }
    wasText = token;
  }
  return found.at < 0 ? undefined : text.slice(0, found.at).split('\n').length;
}

function keyOf(token: string): string {
  return valueOr('', () => String(JSON.parse(token)));
}

/** Position and reason of a JSON syntax error; undefined if the text is valid. */
function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const place = /line (\d+) column (\d+)/.exec(String(error));
    if (place === null) return 'it ends too early';
    return `line ${place[1]}, column ${place[2]}`;
  }
}

const mostNamed = 3;
const longest = 80;

export function untrustedHooks(hooks: readonly KnownHook[]): readonly ConfigProblem[] {
  const [first] = hooks;
  if (first === undefined) return [];
  const named = hooks.slice(0, mostNamed).map(({ command, event, trust }) => {
    const shown = command.length > longest ? `${command.slice(0, longest)}…` : command;
    return `${JSON.stringify(shown)} (${event}${trust === 'modified' ? ', changed since you trusted it' : ''})`;
  });
  const more = hooks.length > mostNamed ? ` and ${hooks.length - mostNamed} more` : '';
  const subject = hooks.length === 1 ? 'A hook does' : `${hooks.length} hooks do`;
  const message = `${subject} not run, because ${hooks.length === 1 ? 'it was' : 'they were'} not trusted when Capstan started: ${named.join(', ')}${more}.`;
  const it = hooks.length === 1 ? 'it' : 'them';
  const next = `Read ${it} with \`capstan hooks list\` and trust ${it} with \`capstan hooks trust\`, or do both with /hooks in the terminal. That counts from the next start.`;
  return [{ code: 'hooks-untrusted', message, next, severity: 'warning', source: first.source.path }];
}
