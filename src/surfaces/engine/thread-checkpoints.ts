import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import { readPlaces } from '../../thread/branch/read-turns.ts';

/** A checkpoint of a thread, as lists show it. */
export interface ThreadCheckpoint {
  /** Counted from 1 over those that stand. */
  readonly number: number;
  /** The turn in which it was made, or after which. */
  readonly turn?: TurnId;
  readonly at: string;
  /** Absent: another program made it. */
  readonly report?: CheckpointReport;
}

export async function checkpointsOf(store: RolloutStore, id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
  const { turns, checkpoints } = await readPlaces(store, id);
  return checkpoints.map(({ turns: begun, timestamp: at, report }, index) => {
    const turn = turns[begun - 1]?.id;
    return { number: index + 1, ...defined({ turn }), at, ...defined({ report }) };
  });
}
