import type { TurnId } from '../protocol/ids.ts';
import type { Line } from '../protocol/line.ts';
import { spokenWords } from './spoken-words.ts';
import type { TurnStatus } from './turn-event.ts';
import type { TurnSettings } from './turn-settings.ts';
import { foldTurn, noTurns, standingTurns, type TurnLog } from './turns.ts';

/** A turn as lists show it. Times are milliseconds since the Unix epoch. */
export interface TurnSummary extends TurnSettings {
  /** Counted from 1 over the turns that were not taken back. */
  readonly number: number;
  readonly id: TurnId;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly status: TurnStatus;
  /** The beginning of what the user wanted, in one line; empty when the user said nothing. */
  readonly firstWords: string;
}

/** The turns of a thread that were not taken back, oldest first. Lines of any program, in the order of the thread. */
export async function turnList(lines: AsyncIterable<Line>): Promise<readonly TurnSummary[]> {
  let log = noTurns;
  for await (const line of lines) log = foldTurn(log, line, spokenWords(line));
  return turnsOf(log);
}

export function turnsOf(log: TurnLog): readonly TurnSummary[] {
  return standingTurns(log).map(({ id, startedAt, endedAt, status, firstWords, settings }, at) => ({
    number: at + 1,
    id,
    ...(startedAt === undefined ? {} : { startedAt }),
    status,
    firstWords,
    ...settings,
    ...(endedAt === undefined ? {} : { endedAt }),
  }));
}
