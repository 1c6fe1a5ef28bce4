import type { CheckpointReport } from '../protocol/checkpoint-report.ts';
import { defined } from '../protocol/defined.ts';
import type { Ordinal } from '../protocol/ids.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { readCheckpoint } from './checkpoints.ts';
import { isSound } from './compacted.ts';
import {
  countTurns,
  foldPlace,
  noTurns,
  standingTurns,
  type TakenBack,
  type TurnLog,
  type TurnRecord,
} from './turns.ts';

/** Where a turn stands in its thread. */
export type TurnPlace = Pick<TurnRecord, 'id' | 'start' | 'end' | 'counts'>;

/** Where a checkpoint stands in its thread. */
export interface CheckpointPlace {
  /** Its line. */
  readonly at: Ordinal;
  /** How many turns began before it and were not taken back. */
  readonly turns: number;
  /** The last of them had not ended: `spoken` if a user spoke in it before, `done` if it was about to end. */
  readonly inside?: { readonly spoken: boolean; readonly done: boolean };
  readonly timestamp: string;
  /** Absent: another program made it. */
  readonly report?: CheckpointReport;
}

export interface ThreadPlaces {
  /** Turns that stand, oldest first. */
  readonly turns: readonly TurnPlace[];
  /** Checkpoints that stand, oldest first. */
  readonly checkpoints: readonly CheckpointPlace[];
  /** What markers took back, the newest last. What lies within the lines of a later one comes back with that. */
  readonly takenBack: readonly TakenBack[];
  /** Behind the last line. */
  readonly end: Ordinal;
}

/** Where the turns and the checkpoints of a thread stand. */
export async function turnPlaces(lines: AsyncIterable<Line>): Promise<ThreadPlaces> {
  let log = noTurns;
  const checkpoints: CheckpointPlace[] = [];
  const allTaken: TakenBack[] = [];
  for await (const line of lines) {
    const before = log;
    log = foldPlace(before, line);
    if (line.type === lineType.compacted && isSound(line.payload)) checkpoints.push(checkpointAt(log, line));
    const { takenBack } = log;
    if (takenBack === undefined || takenBack === before.takenBack) continue;
    while ((checkpoints.at(-1)?.at ?? -1) >= takenBack.start) checkpoints.pop();
    while ((allTaken.at(-1)?.start ?? -1) >= takenBack.start) allTaken.pop();
    allTaken.push(takenBack);
  }
  const end = (log.place + 1) as Ordinal;
  const turns = standingTurns(log).map((turn) => placeOf(turn, end));
  return { turns, checkpoints, takenBack: allTaken, end };
}

/** A turn that is not recorded lasts until the last line. */
function placeOf({ id, start, end: ownEnd, counts, spoken }: TurnRecord, last: Ordinal): TurnPlace {
  const end = ownEnd ?? (spoken === undefined ? undefined : last);
  return { id, start, ...defined({ end }), counts };
}

function checkpointAt(log: TurnLog, { payload, timestamp }: Line): CheckpointPlace {
  const report = readCheckpoint(payload);
  const open = { spoken: log.newest?.counts === true, done: report?.phase === 'post_turn' };
  const inside = log.open === undefined ? undefined : open;
  const at = log.place as Ordinal;
  return { at, turns: countTurns(log), ...defined({ inside }), timestamp, ...defined({ report }) };
}
