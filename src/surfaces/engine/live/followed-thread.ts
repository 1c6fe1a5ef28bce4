import type { RolloutStore } from '../../../ports/rollout-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { RecordedState } from '../../../state/recorded-events.ts';
import type { PlaceCursor } from './place-cursor.ts';

/** What a follower needs of the thread that it follows. */
export interface FollowedThread {
  readonly id: ThreadId;
  readonly store: RolloutStore;
  /** Of the newest line that is durable and was handed out. */
  readonly place: number;
  readonly cursor: PlaceCursor | undefined;
  /** What is recorded up to there. */
  readonly state: RecordedState;
  /** Items of which a preview was sent and that are not complete. */
  readonly previewed: Iterable<string>;
  /** Whether what is recorded can be read again: not so in a thread that leaves nothing on the disk. */
  readonly isKept: boolean;
}
