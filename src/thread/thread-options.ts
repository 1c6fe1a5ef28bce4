import type { Settings } from '../envelope/settings.ts';
import type { FirstSubscriber } from './parts/subscribers.ts';

/** What a thread is opened with. */
export interface ThreadOptions extends FirstSubscriber {
  readonly settings: Settings;
  /**
   * A turn that leaves too little space for the next one is followed by a compaction, so that the next one need not
   * wait. True unless said otherwise; without it the next turn frees the space.
   */
  readonly compactsAfterTurns?: boolean;
  /** A turn is submitted as soon as the thread is there, and nothing else happens before. */
  readonly turnFollows?: boolean;
}
