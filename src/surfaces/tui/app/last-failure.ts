import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';

/** Why the last turn of a thread failed, and when. */
export interface TurnFailure {
  readonly outcome: Outcome;
  /** Undefined: a file does not say it. */
  readonly at: number | undefined;
}

/** Whether a thread ends with a turn that failed, so that it can be tried again without its words. */
export class LastFailure {
  /** The user has said something that no turn has done. */
  #isAsked = false;
  #failure: TurnFailure | undefined;

  get failure(): TurnFailure | undefined {
    return this.#failure;
  }

  observe(event: ThreadEvent, at: number | undefined): void {
    switch (event.kind) {
      case 'context':
        if (event.cause === 'user') this.#isAsked = true;
        return;
      case 'turn-started':
        this.#failure = undefined;
        return;
      case 'turn-failed':
        // Another model continues it at once.
        if (this.#isAsked && event.continuedBy === undefined) this.#failure = { outcome: event.outcome, at };
        return;
      case 'turn-completed':
      case 'turn-aborted':
        this.#isAsked = false;
        this.#failure = undefined;
        return;
      default:
        return;
    }
  }
}
