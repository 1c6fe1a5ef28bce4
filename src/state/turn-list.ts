import type { TurnId } from '../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { oneLine } from './one-line.ts';
import { spokenWords, type SpokenWords } from './spoken-words.ts';
import { contextSettings, type TurnSettings } from './turn-settings.ts';

/** A turn as lists show it. Times are milliseconds since the Unix epoch. */
export interface TurnSummary extends TurnSettings {
  /** Counted from 1 over the turns that were not taken back. */
  readonly number: number;
  /** Old files have turns without a name: `rollout-` and the number of the line with which they begin. */
  readonly id: TurnId;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** `open`: it has not ended. On a thread that nobody writes, it was cut off. */
  readonly status: 'completed' | 'failed' | 'interrupted' | 'open';
  /** The beginning of what the user wanted, in one line; empty when nobody said anything. */
  readonly firstWords: string;
}

/** The turns of a thread that were not taken back, oldest first. Lines of any program, in the order of the thread. */
export async function turnList(lines: AsyncIterable<Line>): Promise<readonly TurnSummary[]> {
  let log = noTurns;
  for await (const line of lines) log = foldTurn(log, line, spokenWords(line));
  return turnsOf(log);
}

/** Turns as far as lines were read. Plain JSON, so that a reader can go on later. */
export interface TurnLog {
  readonly turns: readonly LoggedTurn[];
  /** Lines that were read. */
  readonly lines: number;
  /** Lines before this ordinal were taken over from the thread that started this one: they make no turns of it. */
  readonly ownFrom: number;
  /** Settings that were told while no turn ran: those of the next one. */
  readonly next?: TurnSettings;
}

interface LoggedTurn extends Omit<TurnSummary, 'number'> {
  /** Has a line that says that it began, and so one that says when it ends. */
  readonly explicit: boolean;
  /** In which forms its user spoke. A turn with words is one that a rollback counts. */
  readonly spoken: readonly SpokenWords['form'][];
}

export const noTurns: TurnLog = { turns: [], lines: 0, ownFrom: 0 };

export function turnsOf({ turns }: TurnLog): readonly TurnSummary[] {
  return turns.map(({ explicit: _explicit, spoken: _spoken, ...turn }, at) => ({ number: at + 1, ...turn }));
}

/** The turns after one more line. `words` are those of the line. */
export function foldTurn(log: TurnLog, line: Line, words: SpokenWords | undefined): TurnLog {
  const { lines } = log;
  if (lines === 0 && line.type === lineType.sessionMeta) {
    return { ...log, lines: 1, ownFrom: numberAt(line.payload, 'subagent_history_start_ordinal') ?? 0 };
  }
  const next = { ...log, lines: lines + 1 };
  if ((line.ordinal ?? log.ownFrom) < log.ownFrom) return next;
  if (words !== undefined) return words.role === 'user' ? withWords(next, line, words) : next;
  if (line.type === lineType.turnContext) return withContext(next, line.payload);
  return line.type === lineType.event ? withEvent(next, line) : next;
}

function withEvent(log: TurnLog, line: Line): TurnLog {
  const { payload: event } = line;
  switch (event['type']) {
    case 'task_started':
    case 'turn_started': {
      const startedAt = secondsAt(event, 'started_at') ?? timeOf(line);
      return opened(log, { id: stringAt(event, 'turn_id'), explicit: true, startedAt });
    }
    case 'task_complete':
    case 'turn_complete':
      return ended(log, line, objectAt(event, 'error') === undefined ? 'completed' : 'failed');
    case 'turn_aborted':
      return ended(log, line, 'interrupted');
    case 'thread_rolled_back':
      return rolledBack(log, numberAt(event, 'num_turns') ?? 0);
    default:
      return log;
  }
}

interface Opening {
  readonly id: string | undefined;
  readonly explicit: boolean;
  readonly startedAt: number | undefined;
}

/** A turn that has no record of its settings ran with those of the turn before it. */
function opened(log: TurnLog, { id, explicit, startedAt }: Opening): TurnLog {
  const last = log.turns.at(-1);
  // Its process died, and the next one did not know.
  const before = last?.explicit === true && last.status === 'open' ? replaced(log, { status: 'interrupted' }) : log;
  const turn: LoggedTurn = {
    id: (id ?? `rollout-${log.lines - 1}`) as TurnId,
    ...(startedAt === undefined ? {} : { startedAt }),
    // Without a line that says when it ends, it ended when the model had spoken.
    status: explicit ? 'open' : 'completed',
    firstWords: '',
    ...(log.next ?? settingsOf(last)),
    explicit,
    spoken: [],
  };
  const { next: _taken, ...rest } = before;
  return { ...rest, turns: [...before.turns, turn] };
}

function withWords(log: TurnLog, line: Line, words: SpokenWords): TurnLog {
  const last = log.turns.at(-1);
  const running = last !== undefined && (last.explicit ? last.status === 'open' : !last.spoken.includes(words.form));
  const now = running ? log : opened(log, { id: undefined, explicit: false, startedAt: timeOf(line) });
  const turn = now.turns.at(-1)!;
  const firstWords = turn.firstWords === '' ? oneLine(requestIn(words.text), 200) : turn.firstWords;
  const spoken = turn.spoken.includes(words.form) ? turn.spoken : [...turn.spoken, words.form];
  return replaced(now, { firstWords, spoken });
}

/** What a record leaves out, the turn does not have: nothing stays from the turn before. */
function withContext(log: TurnLog, context: JsonObject): TurnLog {
  const last = log.turns.at(-1);
  if (last === undefined || (last.explicit && last.status !== 'open')) {
    return { ...log, next: contextSettings(context) };
  }
  const id = stringAt(context, 'turn_id');
  if (id !== undefined && last.explicit && last.id !== id) return log;
  const { model: _m, provider: _p, effort: _e, cwd: _c, approval: _a, sandbox: _s, mode: _o, ...turn } = last;
  return { ...log, turns: [...log.turns.slice(0, -1), { ...turn, ...contextSettings(context) }] };
}

/** An end names its turn; old ones that do not mean the one that is running. */
function ended(log: TurnLog, line: Line, status: TurnSummary['status']): TurnLog {
  const id = stringAt(line.payload, 'turn_id');
  const at = id === undefined ? log.turns.length - 1 : log.turns.findLastIndex((turn) => turn.id === id);
  const turn = log.turns[at];
  // What comes late does not change a turn that has its end.
  if (turn === undefined || turn.endedAt !== undefined) return log;
  const endedAt = secondsAt(line.payload, 'completed_at') ?? timeOf(line);
  return { ...log, turns: log.turns.with(at, { ...turn, status, ...(endedAt === undefined ? {} : { endedAt }) }) };
}

/** Takes back the newest `count` turns in which a user spoke, and all that came after them. */
function rolledBack(log: TurnLog, count: number): TurnLog {
  const counted = log.turns.flatMap(({ spoken }, at) => (spoken.length > 0 ? [at] : []));
  const first = count < 1 ? undefined : counted[Math.max(0, counted.length - count)];
  if (first === undefined) return log;
  const { next: _gone, ...rest } = log;
  return { ...rest, turns: log.turns.slice(0, first) };
}

function replaced(log: TurnLog, change: Partial<LoggedTurn>): TurnLog {
  return { ...log, turns: [...log.turns.slice(0, -1), { ...log.turns.at(-1)!, ...change }] };
}

function settingsOf(turn: LoggedTurn | undefined): TurnSettings {
  if (turn === undefined) return {};
  const {
    id: _i,
    startedAt: _b,
    endedAt: _e,
    status: _s,
    firstWords: _f,
    explicit: _x,
    spoken: _w,
    ...settings
  } = turn;
  return settings;
}

/** Editors put what they know about open files before the user's own words. */
function requestIn(text: string): string {
  const mark = '## My request for Codex:';
  const at = text.indexOf(mark);
  const request = at < 0 ? '' : text.slice(at + mark.length);
  return request.trim() === '' ? text : request;
}

function secondsAt(payload: JsonObject, key: string): number | undefined {
  const seconds = numberAt(payload, key);
  return seconds === undefined ? undefined : seconds * 1000;
}

function timeOf({ timestamp }: Line): number | undefined {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}
