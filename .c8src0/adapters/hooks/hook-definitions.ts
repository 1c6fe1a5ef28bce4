import type { BoundedPattern } from '../../base/bounded-pattern.ts';
import { editDistance } from '../../base/edit-distance.ts';
import { defined } from '../../base/objects.ts';
import type { ConfigProblem } from '../../core/config/layer-order.ts';
import { arrayAt, isJsonObject, numberAt, sortedJson, stringAt, trueAt } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { type HookEvent, hookEvents } from '../../protocol/thread-event.ts';
import { createHash } from 'node:crypto';

export interface ParsedHooks {
  readonly hooks: readonly HookDefinition[];
  readonly problems: readonly ConfigProblem[];
  readonly patterns: readonly GroupPattern[];
}

export type GroupPattern = { readonly matcher: string; problem(why: string): ConfigProblem };
/** More than a person writes: each may start a program at every call. */
const mostHooks = 100;
const usualTimeout = 600;
const longestCommand = 20_000;
type Path = readonly (string | number)[];

/**
 * Reads the hooks of one table, by event. Faulty ones are left out with a warning. A key of a wrong type may be the
 * hook's purpose, so it is an error, except in projects. `lineOf`: the line on which the file names a key.
 */
export function parseHooks(
  table: JsonObject,
  source: HookSource,
  lineOf: (path: Path) => number | undefined = () => undefined,
): ParsedHooks {
  const problems: ConfigProblem[] = [];
  const patterns: GroupPattern[] = [];
  const problemAt: ProblemAt = (path, where, what, next, { isWrong = false, ignores = 'it' } = {}) => {
    const line = lineOf(path);
    const message = `${source.path}${line === undefined ? '' : `:${line}`}: ${where} ${what}.${isWrong ? '' : ` Capstan ignores ${ignores}.`}`;
    const severity = isWrong && source.owner !== 'project' ? 'error' : 'warning';
    return { code: 'hooks-broken', message, next, severity, source: source.path, line };
  };
  const warn: Warn = (...about) => void problems.push(problemAt(...about));
  const hooks = Object.entries(table).flatMap(([name, groups]): readonly HookDefinition[] => {
    const event = hookEvents.find((known) => known === name);
    if (event === undefined) {
      warn([name], `the event ${JSON.stringify(name)}`, 'is unknown', `Use one of ${hookEvents.join(', ')}.`);
      return [];
    }
    if (!Array.isArray(groups)) {
      warn([name], name, 'is no list', 'Write a list of groups, each with `hooks`.');
      return [];
    }
    return (groups as readonly Json[]).flatMap((group, at) => {
      const matcher = matcherOf(event, group);
      if (matcher !== undefined && isPattern(matcher)) {
        const what = `has the matcher ${JSON.stringify(matcher)}, which`;
        const where = `group ${at + 1} of ${event}`;
        const problem = (why: string): ConfigProblem =>
          problemAt([event, at, 'matcher'], where, `${what} ${why}`, 'Name the tools, or correct the pattern.');
        patterns.push({ matcher, problem });
      }
      return readGroup({ event, group, at, matcher }, source, warn);
    });
  });
  if (hooks.length > mostHooks) warn([], 'a part of the file', `is beyond ${mostHooks} hooks`, 'Join some of them.');
  return { hooks: hooks.slice(0, mostHooks), problems, patterns };
}

/** Events without names to match: their matchers are ignored and are not part of what is trusted. */
const withoutSubjects: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'Stop']);

function matcherOf(event: HookEvent, group: Json): string | undefined {
  return isJsonObject(group) && !withoutSubjects.has(event) ? stringAt(group, 'matcher') : undefined;
}

type Warn = (...about: Parameters<ProblemAt>) => void;
type ProblemAt = (
  path: Path,
  where: string,
  what: string,
  next: string,
  more?: { readonly isWrong?: boolean; readonly ignores?: string },
) => ConfigProblem;

type Group = Pick<HookDefinition, 'event' | 'matcher'> & { readonly group: Json; readonly at: number };

function readGroup({ event, group, at, matcher }: Group, source: HookSource, warn: Warn): readonly HookDefinition[] {
  const where = `group ${at + 1} of ${event}`;
  const handlers = isJsonObject(group) ? arrayAt(group, 'hooks') : undefined;
  if (!isJsonObject(group) || handlers === undefined) {
    warn([event, at], where, 'has no list `hooks`', 'Add the list.');
    return [];
  }
  reportKeys(group, groupKeys, { path: [event, at], where, warn });
  return handlers.flatMap((handler, index): readonly HookDefinition[] => {
    const place = { event, key: `${source.path}:${label(event)}:${at}:${index}`, ...defined({ matcher }) };
    const here = { path: [event, at, 'hooks', index], where: `hook ${index + 1} in ${where}`, warn };
    const read = readHandler(handler, place, source);
    const isRight = typeof read !== 'string' && isJsonObject(handler) ? reportKeys(handler, handlerKeys, here) : true;
    if (typeof read !== 'string') return isRight ? [read] : [];
    warn(here.path, here.where, read, 'Write {"type": "command", "command": "…"}.');
    return [];
  });
}

type Sort = 'text' | 'number' | 'flag' | 'list';

const groupKeys: Readonly<Record<string, Sort>> = { matcher: 'text', hooks: 'list' };
const handlerKeys: Readonly<Record<string, Sort>> = {
  type: 'text',
  command: 'text',
  commandWindows: 'text',
  timeout: 'number',
  timeout_sec: 'number',
  async: 'flag',
  statusMessage: 'text',
  additionalContextLimit: 'number',
  failClosed: 'flag',
};
const sorts: Readonly<Record<Sort, string>> = {
  text: 'a text',
  number: 'a number',
  flag: 'true or false',
  list: 'a list',
};

/** False if a known key has a wrong type. Unknown keys are reported: one may be a misspelt restriction. */
function reportKeys(
  table: JsonObject,
  keys: Readonly<Record<string, Sort>>,
  { path, where, warn }: { readonly path: Path; readonly where: string; readonly warn: Warn },
): boolean {
  let isRight = true;
  for (const [key, value] of Object.entries(table)) {
    const sort = Object.hasOwn(keys, key) ? keys[key] : undefined;
    const at = [...path, key];
    if (sort === undefined) {
      const nearest = Object.keys(keys).find((known) => editDistance(known.toLowerCase(), key.toLowerCase()) <= 2);
      const next = nearest === undefined ? 'It has no effect; remove it.' : `Did you mean ${JSON.stringify(nearest)}?`;
      warn(at, where, `has the unknown key ${JSON.stringify(key)}`, next, { ignores: 'the key' });
    } else if (value !== undefined && value !== null && !isOf(sort, value)) {
      isRight = false;
      const what = `must have ${sorts[sort]} for ${JSON.stringify(key)}, not ${JSON.stringify(value).slice(0, 60)}`;
      warn(at, where, what, 'Correct the value, or remove the key.', { isWrong: true });
    }
  }
  return isRight;
}

function isOf(sort: Sort, value: Json): boolean {
  if (sort === 'list') return Array.isArray(value);
  return typeof value === { text: 'string', number: 'number', flag: 'boolean' }[sort];
}

function readHandler(
  handler: Json,
  place: Pick<HookDefinition, 'event' | 'key' | 'matcher'>,
  source: HookSource,
): HookDefinition | string {
  if (!isJsonObject(handler)) return 'is no table';
  const type = stringAt(handler, 'type');
  if (type !== 'command') return `has the type ${JSON.stringify(type ?? '')}, which ${whyNotRun(type)}`;
  const command = stringAt(handler, 'command') ?? '';
  if (command.trim() === '' || command.length > longestCommand || !isPlain(command)) return 'has no usable command';
  const { event, matcher } = place;
  const timeoutSeconds = timeoutOf(event, numberAt(handler, 'timeout') ?? numberAt(handler, 'timeout_sec'));
  const statusMessage = stringAt(handler, 'statusMessage');
  const additionalContextLimit = numberAt(handler, 'additionalContextLimit');
  const failClosed = trueAt(handler, 'failClosed');
  const isAsync = handler['async'] === true;
  const options = { timeout: timeoutSeconds, async: isAsync, statusMessage, additionalContextLimit, failClosed };
  return {
    ...place,
    command,
    timeoutSeconds,
    isAsync,
    failClosed: failClosed === true && !isAsync,
    hash: hookHash({ event_name: label(event), matcher, hooks: [{ type: 'command', command, ...options }] }),
    source,
    ...defined({ statusMessage, contextLimit: additionalContextLimit && Math.max(0, additionalContextLimit) }),
  };
}

function whyNotRun(type: string | undefined): string {
  if (type === 'mcp_tool') return 'Capstan does not run: a command can call the tool';
  return type === 'prompt' || type === 'agent' ? 'Capstan does not run: no model is asked by a hook' : 'is unknown';
}

/** The end of a session is not delayed: its hooks have one second, three at most. */
function timeoutOf(event: HookEvent, given: number | undefined): number {
  const seconds = Math.max(1, Math.floor(given ?? (event === 'SessionEnd' ? 1 : usualTimeout)));
  return event === 'SessionEnd' ? Math.min(3, seconds) : Math.min(seconds, 86_400);
}

const isPlain = (command: string): boolean => command.isWellFormed() && !command.includes('\0');
const label = (event: HookEvent): string => event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

export interface HookDefinition {
  /** File, event, and position in both lists; the key under which trust is stored. */
  readonly key: string;
  readonly event: HookEvent;
  /** Absent: matches every subject. */
  readonly matcher?: string;
  readonly command: string;
  readonly timeoutSeconds: number;
  /** Nothing waits for the hook, so it can neither block nor change anything. */
  readonly isAsync: boolean;
  readonly statusMessage?: string;
  readonly contextLimit?: number;
  /** A failing hook blocks the action that it was asked about. */
  readonly failClosed: boolean;
  /** Digest of the definition. Trust is given to this digest, and ends when the definition changes. */
  readonly hash: string;
  readonly source: HookSource;
}

export interface HookSource {
  readonly path: string;
  /** `managed`: from the administrator, always trusted. */
  readonly owner: 'managed' | 'user' | 'project' | 'flags';
}

/** `modified`: changed since it was trusted. `disabled`: switched off in the configuration. */
export type HookTrust = 'managed' | 'trusted' | 'modified' | 'untrusted' | 'disabled';
export type KnownHook = HookDefinition & { readonly trust: HookTrust };

/** Computes the same digest that other programs store for a definition: members are sorted alphabetically. */
function hookHash(definition: JsonObject): string {
  return `sha256:${createHash('sha256').update(sortedJson(definition)).digest('hex')}`;
}

const longestSubject = 256;
export type CompiledMatchers = Awaited<ReturnType<typeof compileMatchers>>;

/**
 * Compiles the matchers that are regular expressions. Their engine is loaded only if there are any. `problems`: why
 * others cannot be used, by their text.
 */
export async function compileMatchers(matchers: readonly (string | undefined)[]) {
  const patterns = new Map<string, BoundedPattern>();
  const problems = new Map<string, string>();
  const texts = matchers.filter((matcher) => matcher !== undefined).filter(isPattern);
  if (texts.length === 0) return { patterns, problems };
  const { compileBoundedPattern } = await import('../../base/bounded-pattern.ts');
  for (const text of texts) {
    const read = compileBoundedPattern(text);
    if ('problem' in read) problems.set(text, read.problem);
    else patterns.set(text, read);
  }
  return { patterns, problems };
}

/** Any other matcher lists names, or means everything. */
const isPattern = (matcher: string): boolean => !isEverything(matcher) && !/^[A-Za-z0-9_|]+$/.test(matcher);

/** A hook for an event without subjects matches all. */
export function matchesHook(
  matcher: string | undefined,
  subjects: readonly string[] | undefined,
  patterns: CompiledMatchers['patterns'],
): boolean {
  if (matcher === undefined || subjects === undefined || isEverything(matcher)) return true;
  const names = matcher.split('|');
  const pattern = patterns.get(matcher);
  return subjects.some((subject) =>
    pattern === undefined ? names.includes(subject) : subject.length <= longestSubject && pattern.matches(subject),
  );
}

const isEverything = (matcher: string): boolean => matcher === '' || matcher === '*';
