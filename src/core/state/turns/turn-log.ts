import type { Ordinal, TurnId } from '../../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../../protocol/line.ts';
import { appliedSettingsSummary, turnContextSummary, toOneLine, messageWordsOf } from './turn-words.ts';
import type { SettingsSummary, MessageWords } from './turn-words.ts';
import { holdsUsersWords } from '../reduce.ts';
import { isSameTurnName, type TurnEvent, readTurnEvent, turnEventKind, type TurnStatus } from '../drafts/turn-lines.ts';

/**
 * A turn from its lines, in files of any program. A *recorded* turn has a line that says that it began. In old files
 * each message of the user outside of a recorded turn begins an unrecorded one, which lasts until the next turn begins.
 * The other form of the words that began it (event or item) joins it.
 */
export interface TurnRecord {
  /** A turn without a name is called `rollout-` and the place of its first line. */
  readonly id: TurnId;
  /** Counted from 1 over all turns that began, including those that were taken back. */
  readonly number: number;
  /** Its first line. Lines of the old form, which have no ordinals, are counted. */
  readonly start: Ordinal;
  /** After its last line; absent while no line says that it has ended. */
  readonly end?: Ordinal;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly status: TurnStatus;
  /** Its history holds a user's words: a rollback counts it. */
  readonly counts: boolean;
  /** Beginning of the user's request in one line; empty without words of the user. */
  readonly firstWords: string;
  readonly settings: SettingsSummary;
  /** The turn only made a checkpoint, or tried to. */
  readonly purpose?: 'compaction';
  readonly spoken?: readonly MessageWords['form'][];
}

/** Turns up to the lines read so far. Plain JSON, so that a reader can continue later. */
export interface TurnLog {
  /** Kept apart from earlier turns: most lines change only the newest that was not taken back. */
  readonly newest?: TurnRecord;
  /** Other turns, oldest first. Only the first `count` are valid; entries after them belong to a later log. */
  readonly earlier: readonly TurnRecord[];
  readonly count: number;
  /** Number of turns that began, including those that were taken back. */
  readonly began: number;
  readonly place: number;
  /** Name of the recorded turn that has not ended, empty if it has none. Absent: no such turn runs. */
  readonly open?: string;
  /** Settings that were recorded while no turn ran: those of the next one. */
  readonly next?: SettingsSummary;
  /** The running turn has a record of its own settings: later changes of the thread's do not apply to it. */
  readonly hasContext?: true;
  /** Earlier lines come from the thread that started this one, and make no turns. Absent: not known yet. */
  readonly ownFrom?: number;
  /** The lines that the newest rollback took back: from `start` up to its marker, without the marker. */
  readonly takenBack?: TakenBackRange;
}

export type TakenBackRange = { readonly start: Ordinal; readonly end: Ordinal; readonly turns: readonly TurnId[] };
export const noTurns: TurnLog = { earlier: [], count: 0, began: 0, place: -1 };
/** For a reader that also shows turns of the thread that started this one. */
export const noTurnsWithInherited: TurnLog = { ...noTurns, ownFrom: 0 };
/** For a reader that begins after a place, between two turns. */
export const turnsFrom = (place: number): TurnLog => ({ ...noTurnsWithInherited, place });

export const remainingTurns = ({ earlier, count, newest }: TurnLog): readonly TurnRecord[] => [
  ...earlier.slice(0, count),
  ...(newest === undefined ? [] : [newest]),
];

export const countTurns = ({ count, newest }: TurnLog): number => count + (newest === undefined ? 0 : 1);
/** Turn number of the newest line. Lines before the first turn belong to it. */
export const turnNumber = ({ began }: TurnLog): number => Math.max(1, began);
const shown: ReadonlySet<string> = new Set(['user_message', 'thread_settings_applied']);

/** True if a line of this kind can change the turns. Without ordinals the fold counts the other lines, too. */
export function concernsTurns({ type, payloadType }: LineKind): boolean {
  if (type === lineType.sessionMeta || type === lineType.turnContext) return true;
  if (type !== lineType.responseItem && type !== lineType.event) return false;
  if (payloadType === undefined) return true;
  if (type === lineType.responseItem) return payloadType === 'message' || payloadType === 'agent_message';
  return shown.has(payloadType) || turnEventKind(payloadType) !== undefined;
}

/** Folds one more line; it agrees with `reduce` on open turns and those that count. `words`: those of the line. */
export function foldTurn(log: TurnLog, line: Line, words: MessageWords | undefined): TurnLog {
  const place = line.ordinal ?? log.place + 1;
  const { type, payload } = line;
  const start = type === lineType.sessionMeta ? numberAt(payload, 'subagent_history_start_ordinal') : undefined;
  const ownFrom = log.ownFrom ?? start ?? 0;
  const now = { ...log, place, ownFrom };
  if ((line.ordinal ?? ownFrom) < ownFrom) return now;
  if (type === lineType.turnContext) return withContext(now, payload);
  const event = type === lineType.event ? readTurnEvent(payload) : undefined;
  if (event !== undefined) return withEvent(now, line, event);
  const applied = type === lineType.event ? ownSettings(payload) : undefined;
  if (applied !== undefined) return withApplied(now, applied);
  if (words === undefined) return isSilentBoundary(now, line) ? withWords(now, line, silence) : now;
  return words.role === 'user' ? withWords(now, line, words) : now;
}

/** For a reader without words: `firstWords` stays empty, which saves most of the work. */
export function foldTurnWithoutWords(log: TurnLog, line: Line): TurnLog {
  const words = messageWordsOf(line);
  return foldTurn(log, line, words && { ...words, text: '' });
}

const silence = { text: '', form: 'item' } as const;

/** An empty message of a user, or one of another agent, also makes a turn count. */
function isSilentBoundary({ newest, open }: TurnLog, line: Line): boolean {
  if (line.type !== lineType.responseItem || (open !== undefined && newest?.counts === true)) return false;
  return holdsUsersWords(line);
}

function withEvent(log: TurnLog, line: Line, event: TurnEvent): TurnLog {
  if (event.kind === 'rollback') return rollBack(log, event.count);
  if (event.kind === 'end') return end(log, line, event);
  const purpose = event.isCompaction ? 'compaction' : undefined;
  const begun = begin(log, { startedAt: timeOf(line, event.at), status: 'open', purpose }, event.name);
  return { ...begun, open: event.name };
}

type Beginning = Pick<TurnRecord, 'status' | 'spoken' | 'purpose' | 'startedAt'>;

/** A turn without a record of its settings ran with those of the turn before it. */
function begin(log: TurnLog, beginning: Beginning, name: string): TurnLog {
  const { next, newest: last } = log;
  const number = log.began + 1;
  const turn: TurnRecord = {
    id: (name === '' ? `rollout-${log.place}` : name) as TurnId,
    number,
    start: log.place as Ordinal,
    counts: false,
    firstWords: '',
    settings: next ?? last?.settings ?? {},
    ...beginning,
  };
  const before = last === undefined ? {} : appended(log, replaced(last, log));
  const none = { next: undefined, open: undefined, hasContext: undefined };
  return { ...log, ...none, ...before, newest: turn, began: number };
}

/** The first log that continues another adds to its array: adding a turn costs the same however many there are. */
function appended({ earlier, count }: TurnLog, turn: TurnRecord): Pick<TurnLog, 'earlier' | 'count'> {
  const turns = count > 0 && count === earlier.length ? (earlier as TurnRecord[]) : earlier.slice(0, count);
  turns.push(turn);
  return { earlier: turns, count: count + 1 };
}

/** Closes the newest turn when another begins. If it was open, its process died without recording the end. */
function replaced(turn: TurnRecord, { open, place }: TurnLog): TurnRecord {
  if (open !== undefined) return { ...turn, status: 'interrupted' };
  return turn.spoken === undefined || turn.end !== undefined ? turn : { ...turn, end: place as Ordinal };
}

/** An end that does not name the open turn is the late end of an older turn, or of one that is not recorded. */
function end(log: TurnLog, line: Line, event: TurnEvent & { readonly kind: 'end' }): TurnLog {
  const { open } = log;
  const end = (log.place + 1) as Ordinal;
  const endedAt = timeOf(line, event.at);
  const ending = (turn: TurnRecord) => ({ ...turn, status: event.status, endedAt: endedAt ?? turn.endedAt });
  if (open !== undefined && isSameTurnName(event.name, open))
    return change({ ...log, open: undefined }, (turn) => ({ ...ending(turn), end }));
  if (event.name === '' ? unrecorded(log) !== undefined : log.newest?.id === event.name)
    return log.newest?.endedAt === undefined ? change(log, ending) : log;
  const earlier = event.name === '' ? [] : log.earlier.slice(0, log.count);
  const at = earlier.findLastIndex(({ id }) => id === event.name);
  const turn = earlier[at];
  if (turn === undefined || turn.endedAt !== undefined) return log;
  return { ...log, earlier: earlier.with(at, ending(turn)) };
}

/** Takes back the newest `count` turns that count, and everything after them. */
function rollBack(log: TurnLog, count: number): TurnLog {
  const turns = remainingTurns(log);
  const counted = turns.flatMap(({ counts }, at) => (counts ? [at] : []));
  const first = counted[Math.max(0, counted.length - count)];
  if (first === undefined) return log;
  const taken = turns.slice(first);
  return {
    ...log,
    next: undefined,
    open: undefined,
    earlier: turns.slice(0, Math.max(0, first - 1)),
    count: Math.max(0, first - 1),
    newest: turns[first - 1],
    takenBack: { start: taken[0]!.start, end: log.place as Ordinal, turns: taken.map(({ id }) => id) },
  };
}

function withWords(log: TurnLog, line: Line, { form, text }: Pick<MessageWords, 'form' | 'text'>): TurnLog {
  const joins = log.open !== undefined || unrecorded(log)?.includes(form) === false;
  if (log.open !== undefined && log.newest?.counts === true && log.newest.firstWords !== '') return log;
  const now = joins ? log : begin(log, { startedAt: timeOf(line), status: 'completed', spoken: [] }, '');
  return change(now, (turn) => ({
    ...turn,
    firstWords: turn.firstWords === '' ? toOneLine(requestIn(text), 200) : turn.firstWords,
    counts: turn.counts || form === 'item',
    spoken: turn.spoken && [...turn.spoken, form],
  }));
}

/** Forms of the user's words in the running turn, if it is not recorded. A rollback ends such a turn. */
const unrecorded = ({ newest, began }: TurnLog): TurnRecord['spoken'] =>
  newest?.number === began ? newest.spoken : undefined;

/** Settings missing in a record are unset: nothing remains from the turn before. */
function withContext(log: TurnLog, context: JsonObject): TurnLog {
  const settings = turnContextSummary(context);
  if (log.open === undefined && unrecorded(log) === undefined) return { ...log, next: settings };
  return isOfTurn(log, context) ? { ...change(log, (turn) => ({ ...turn, settings })), hasContext: true } : log;
}

/** Only our changes of settings. Other programs repeat there what a turn's record says better. */
function ownSettings(event: JsonObject): JsonObject | undefined {
  const settings = event['type'] === 'thread_settings_applied' ? objectAt(event, 'thread_settings') : undefined;
  return settings !== undefined && objectAt(settings, 'capstan') !== undefined ? settings : undefined;
}

/** If a turn was cut off before its settings were recorded, it ran with the newest that were applied before. */
function withApplied(log: TurnLog, applied: JsonObject): TurnLog {
  const settings = appliedSettingsSummary(applied);
  if (log.open === undefined) return { ...log, next: settings };
  return log.hasContext === true ? log : change(log, (turn) => ({ ...turn, settings }));
}

export const isOfTurn = ({ open }: TurnLog, context: JsonObject): boolean =>
  open === undefined || isSameTurnName(stringAt(context, 'turn_id') ?? '', open);

const change = (log: TurnLog, changed: (turn: TurnRecord) => TurnRecord): TurnLog =>
  log.newest === undefined ? log : { ...log, newest: changed(log.newest) };

/** Editors put data on open files before the user's own words. */
function requestIn(text: string): string {
  const mark = '## My request for Codex:';
  const at = text.indexOf(mark);
  const request = at < 0 ? '' : text.slice(at + mark.length);
  return request.trim() === '' ? text : request;
}

function timeOf({ timestamp }: Line, seconds?: number): number | undefined {
  const time = seconds === undefined ? Date.parse(timestamp) : seconds * 1000;
  return Number.isNaN(time) ? undefined : time;
}
