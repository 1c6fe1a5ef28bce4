import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Usage } from '../protocol/usage.ts';

/** Work beside the turns of a thread, which ends when the thread is closed. */
export interface BackgroundWork {
  /** The thread is open. */
  attach(host: BackgroundHost): void;
}

/** The thread, as such work sees it. */
export interface BackgroundHost {
  readonly id: ThreadId;
  /** Counts in what the thread has cost, and not in what its goal has used. */
  spend(usage: Usage): void;
  warn(outcome: Outcome): void;
}
