import type { Fault, Outcome } from '../../protocol/outcome.ts';
import type { ProvisionalEvent } from '../../protocol/provisional-event.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { Span } from '../terminal/look.ts';
import type { AnnouncedThread } from './announcement.ts';

/** Where a run shows itself. Standard output carries the contract, standard error is for people. */
export interface Output {
  start(thread: AnnouncedThread): void;
  event(event: ThreadEvent): void;
  /** Absent: what is still arriving is not shown, and costs nothing. */
  readonly provisional?: (event: ProvisionalEvent) => void;
  notice(outcome: Outcome): void;
  /** Lines for the person who is asked, or who looks on. */
  show(...spans: readonly Span[]): void;
  /** What the user types now; undefined: no more. */
  typing(text: string | undefined): void;
  /** The thread is there, and nothing is asked of it. */
  idle?(): void;
  /** The turn ended with the loss of what should keep it: no event of the engine reports that. */
  lost(fault: Fault): void;
  /** A signal ends the turn: what still runs is stopped, and has not failed by itself. */
  interrupted?(): void;
  /** A second signal: the process ends now. */
  endedAtOnce(): void;
  /** The program that ended this one reports that itself, and would take `turn.failed` for another failure. */
  toldToEnd?(): void;
}
