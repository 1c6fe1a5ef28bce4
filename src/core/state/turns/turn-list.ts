import { defined } from '../../../base/objects.ts';
import type { Ordinal, ThreadId, TurnId } from '../../../protocol/ids.ts';
import { objectAt, stringAt } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import { readCheckpointReport } from '../checkpoints/checkpoint-counts.ts';
import { hasItemMetadata } from '../checkpoints/compacted-line.ts';
import { readTurnEvent } from '../drafts/turn-lines.ts';
import { countTurns, foldTurn, foldTurnWithoutWords, noTurns, remainingTurns } from './turn-log.ts';
import type { TakenBackRange, TurnLog, TurnRecord } from './turn-log.ts';
import { toOneLine, type SettingsSummary, messageWordsOf, type MessageWords } from './turn-words.ts';

/** A turn for lists. Times are milliseconds since the Unix epoch. */
export interface TurnSummary
  extends SettingsSummary, Pick<TurnRecord, 'id' | 'startedAt' | 'endedAt' | 'status' | 'firstWords' | 'purpose'> {
  /** Counted from 1 over the turns that were not taken back. */
  readonly number: number;
  /** Later words of the user in the turn, one line per message. Absent if there were none. */
  readonly moreWords?: readonly string[];
  readonly problem?: string;
}

/** Turns that were not taken back, oldest first. Takes lines of any program, in the order of the thread. */
export async function summariseTurns(lines: AsyncIterable<Line>): Promise<readonly TurnSummary[]> {
  let log = noTurns;
  const details = new Map<string, Details>();
  for await (const line of lines) {
    const words = messageWordsOf(line);
    log = foldTurn(log, line, words);
    if (log.newest !== undefined) addDetails(details, log.newest.id, line, words);
  }
  return turnSummariesOf(log).map((turn) => ({ ...turn, ...shownOf(details.get(turn.id)) }));
}

interface Details {
  /** By form: old files contain everything twice. */
  readonly said: { readonly [Form in MessageWords['form']]: string[] };
  problem?: string;
}

function addDetails(all: Map<string, Details>, newest: TurnId, line: Line, words: MessageWords | undefined): void {
  const { type, payload } = line;
  const of = (turn: string): Details => {
    const known = all.get(turn) ?? { said: { item: [], event: [] } };
    all.set(turn, known);
    return known;
  };
  if (words?.role === 'user') of(newest).said[words.form].push(toOneLine(words.text, 200));
  const event = type === lineType.event ? readTurnEvent(payload) : undefined;
  const problem = event?.kind === 'end' ? stringAt(objectAt(payload, 'error'), 'message') : undefined;
  // An end may come late, and name an older turn.
  if (event?.kind === 'end' && problem !== undefined) of(event.name || newest).problem = toOneLine(problem, 200);
}

function shownOf(details: Details | undefined): Pick<TurnSummary, 'moreWords' | 'problem'> {
  if (details === undefined) return {};
  const { said, problem } = details;
  const [, ...moreWords] = said.item.length >= said.event.length ? said.item : said.event;
  return defined({ moreWords: moreWords.length === 0 ? undefined : moreWords, problem });
}

export function turnSummariesOf(log: TurnLog): readonly TurnSummary[] {
  return remainingTurns(log).map(({ id, startedAt, endedAt, status, firstWords, settings, purpose }, at) => ({
    number: at + 1,
    id,
    ...defined({ startedAt }),
    status,
    firstWords,
    ...settings,
    ...defined({ endedAt, purpose }),
  }));
}

export type TurnPosition = Pick<TurnRecord, 'id' | 'start' | 'end' | 'counts'>;

export interface CheckpointPlace {
  readonly at: Ordinal;
  /** Number of turns that began before it and were not taken back. */
  readonly turns: number;
  /** Set if the last of them had not ended: `spoken` if a user spoke in it before, `done` if it was about to end. */
  readonly inside?: { readonly spoken: boolean; readonly done: boolean };
  readonly timestamp: string;
  readonly report?: CheckpointReport;
}

export interface ThreadPlaces {
  readonly turns: readonly TurnPosition[];
  readonly checkpoints: readonly CheckpointPlace[];
  /** Ranges taken back by markers, newest last. A range inside a later one is restored together with it. */
  readonly takenBack: readonly TakenBackRange[];
  readonly end: Ordinal;
}

export async function turnPlaces(lines: AsyncIterable<Line>): Promise<ThreadPlaces> {
  let log = noTurns;
  const checkpoints: CheckpointPlace[] = [];
  const allTaken: TakenBackRange[] = [];
  for await (const line of lines) {
    const before = log;
    log = foldTurnWithoutWords(before, line);
    if (line.type === lineType.compacted && hasItemMetadata(line.payload)) checkpoints.push(checkpointAt(log, line));
    const { takenBack } = log;
    if (takenBack === undefined || takenBack === before.takenBack) continue;
    while ((checkpoints.at(-1)?.at ?? -1) >= takenBack.start) checkpoints.pop();
    while ((allTaken.at(-1)?.start ?? -1) >= takenBack.start) allTaken.pop();
    allTaken.push(takenBack);
  }
  const last = (log.place + 1) as Ordinal;
  // A turn that is not recorded lasts until the last line.
  const turns = remainingTurns(log).map(({ id, start, end, counts, spoken }) => {
    return { id, start, end: end ?? (spoken === undefined ? undefined : last), counts };
  });
  return { turns, checkpoints, takenBack: allTaken, end: last };
}

function checkpointAt(log: TurnLog, { payload, timestamp }: Line): CheckpointPlace {
  const report = readCheckpointReport(payload);
  const open = { spoken: log.newest?.counts === true, done: report?.phase === 'post_turn' };
  const inside = log.open === undefined ? undefined : open;
  return { at: log.place as Ordinal, turns: countTurns(log), inside, timestamp, report };
}

/** Finds a turn by its id, the beginning of its id, or its number from 1. */
export function findTurn<Turn extends { readonly id: TurnId }>(
  thread: ThreadId,
  turns: readonly Turn[],
  name: string,
): Turn | Outcome<'turn-unknown' | 'turn-ambiguous'> {
  const exact = turns.find(({ id }) => id === name) ?? (/^\d{1,6}$/.test(name) ? turns[Number(name) - 1] : undefined);
  if (exact !== undefined) return exact;
  const begun = name.length < 4 ? [] : turns.filter(({ id }) => id.startsWith(name));
  if (begun.length === 1) return begun[0]!;
  const next = `List its turns with \`capstan threads show ${thread}\`.`;
  if (begun.length > 1)
    return { code: 'turn-ambiguous', message: `${begun.length} turns of thread ${thread} begin with ${name}.`, next };
  const count = turns.length === 1 ? 'one turn' : `${turns.length} turns`;
  const message = `Thread ${thread} has no turn ${JSON.stringify(name)}: it has ${count}, not counting rolled-back ones.`;
  return { code: 'turn-unknown', message, next };
}
