import type { Settings } from '../envelope/settings.ts';
import type { ProvisionalEvent } from '../protocol/provisional-event.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';

/** What a thread is opened with. */
export interface ThreadOptions {
  readonly settings: Settings;
  /** The first subscriber: from the thread's start or resumption on, in order, and only what is durable. Must not throw. */
  readonly listener?: (event: ThreadEvent) => void;
  /** The same for items that are still arriving. */
  readonly provisional?: (event: ProvisionalEvent) => void;
  /**
   * A turn that leaves too little space for the next one is followed by a compaction, so that the next one need not
   * wait. True unless said otherwise; without it the next turn frees the space.
   */
  readonly compactsAfterTurns?: boolean;
}
