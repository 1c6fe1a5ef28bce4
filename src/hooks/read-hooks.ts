import type { ConfigProblem } from '../config/config-problem.ts';
import { defined } from '../protocol/defined.ts';
import { type HookEvent, hookEvents } from '../protocol/hook-run.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, stringAt } from '../protocol/json.ts';
import type { HookDefinition, HookSource } from './hook-definition.ts';
import { hookHash } from './hook-hash.ts';
import { matcherProblem } from './matcher.ts';

export interface ReadHooks {
  readonly hooks: readonly HookDefinition[];
  readonly problems: readonly ConfigProblem[];
}

/** More hooks than a person writes: each may start a program at every call. */
const mostHooks = 100;
const usualTimeout = 600;
const longestCommand = 20_000;

/** The hooks of one table, by event. What is at fault is left out, with a warning. */
export function readHooks(table: JsonObject, source: HookSource): ReadHooks {
  const problems: ConfigProblem[] = [];
  const warn = (where: string, what: string, next: string): void => {
    const message = `${source.path}: ${where} ${what}. Capstan ignores it.`;
    problems.push({ code: 'hooks-broken', message, next, severity: 'warning', source: source.path });
  };
  const hooks = Object.entries(table).flatMap(([name, groups]): readonly HookDefinition[] => {
    const event = hookEvents.find((known) => known === name);
    if (event === undefined) {
      warn(`the event ${JSON.stringify(name)}`, 'is unknown', `Use one of ${hookEvents.join(', ')}.`);
      return [];
    }
    if (!Array.isArray(groups)) {
      warn(name, 'is no list', 'Write a list of groups, each with `hooks`.');
      return [];
    }
    return (groups as readonly Json[]).flatMap((group, at) => readGroup({ event, group, at }, source, warn));
  });
  if (hooks.length > mostHooks) warn('a part of the file', `is beyond ${mostHooks} hooks`, 'Join some of them.');
  return { hooks: hooks.slice(0, mostHooks), problems };
}

/** Events that match no name: a matcher says nothing there, and is no part of what is trusted. */
const withoutSubjects: ReadonlySet<HookEvent> = new Set<HookEvent>(['UserPromptSubmit', 'Stop']);

type Warn = (where: string, what: string, next: string) => void;

interface Group {
  readonly event: HookEvent;
  readonly group: Json;
  readonly at: number;
}

function readGroup({ event, group, at }: Group, source: HookSource, warn: Warn): readonly HookDefinition[] {
  const where = `group ${at + 1} of ${event}`;
  const handlers = isJsonObject(group) ? arrayAt(group, 'hooks') : undefined;
  if (!isJsonObject(group) || handlers === undefined) {
    warn(where, 'has no list `hooks`', 'Add the list.');
    return [];
  }
  const matcher = withoutSubjects.has(event) ? undefined : stringAt(group, 'matcher');
  const odd = matcher === undefined ? undefined : matcherProblem(matcher);
  if (odd !== undefined) {
    warn(where, `has the matcher ${JSON.stringify(matcher)}, which ${odd}`, 'Name the tools, or simplify the pattern.');
    return [];
  }
  return handlers.flatMap((handler, index): readonly HookDefinition[] => {
    const place = { event, key: `${source.path}:${label(event)}:${at}:${index}`, ...defined({ matcher }) };
    const read = readHandler(handler, place, source);
    if (typeof read !== 'string') return [read];
    warn(`hook ${index + 1} in ${where}`, read, 'Write {"type": "command", "command": "…"}.');
    return [];
  });
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
  const timeout = numberAt(handler, 'timeout') ?? numberAt(handler, 'timeout_sec');
  const timeoutSeconds = timeoutOf(event, timeout);
  const statusMessage = stringAt(handler, 'statusMessage');
  const contextLimit = numberAt(handler, 'additionalContextLimit');
  const failClosed = handler['failClosed'] === true || undefined;
  const isAsync = handler['async'] === true;
  const identity = {
    type: 'command',
    command,
    timeout: timeoutSeconds,
    async: isAsync,
    ...defined({ statusMessage, additionalContextLimit: contextLimit, failClosed }),
  };
  const hash = hookHash({ event_name: label(event), ...defined({ matcher }), hooks: [identity] });
  return {
    ...place,
    command,
    timeoutSeconds,
    isAsync,
    failClosed: failClosed === true && !isAsync,
    hash,
    source,
    ...defined({ statusMessage, contextLimit: contextLimit === undefined ? undefined : Math.max(0, contextLimit) }),
  };
}

/** Types that files of other programs have. */
function whyNotRun(type: string | undefined): string {
  if (type === 'mcp_tool') return 'Capstan does not run: a command can call the tool';
  return type === 'prompt' || type === 'agent' ? 'Capstan does not run: no model is asked by a hook' : 'is unknown';
}

/** The end of a session is not held up: its hooks have a second, three at most. */
function timeoutOf(event: HookEvent, given: number | undefined): number {
  const seconds = Math.max(1, Math.floor(given ?? (event === 'SessionEnd' ? 1 : usualTimeout)));
  return event === 'SessionEnd' ? Math.min(3, seconds) : Math.min(seconds, 86_400);
}

function isPlain(command: string): boolean {
  return command.isWellFormed() && !command.includes('\0');
}

/** `pre_tool_use` for `PreToolUse`. */
function label(event: HookEvent): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
