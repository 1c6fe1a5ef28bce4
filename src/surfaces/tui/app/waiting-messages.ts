import type { Draft } from '../composer/draft.ts';
import { messageWords } from '../composer/whole-draft.ts';

/** A message for the turn that runs. */
export interface PendingSteer {
  readonly draft: Draft;
  /** The engine's name for it, when it has accepted it. Undefined: it did not. */
  readonly accepted: Promise<string | undefined>;
}

/**
 * What the user has sent and the model has not read, in three lists: messages for the turn that runs, messages that it
 * did not take, which go first when it ends, and drafts that each wait for a turn of their own. A draft is read when it
 * comes up: it may be a command.
 */
export class WaitingMessages {
  #steers: readonly PendingSteer[] = [];
  #refused: readonly Draft[] = [];
  #queued: readonly Draft[] = [];

  get steers(): readonly PendingSteer[] {
    return this.#steers;
  }

  get refused(): readonly Draft[] {
    return this.#refused;
  }

  get queued(): readonly Draft[] {
    return this.#queued;
  }

  steer(steer: PendingSteer): void {
    this.#steers = [...this.#steers, steer];
  }

  /** The model has the words: the oldest ones that say the same wait no more. */
  read(words: string): void {
    const at = this.#steers.findIndex(({ draft }) => messageWords(draft) === words);
    if (at !== -1) this.#steers = this.#steers.toSpliced(at, 1);
  }

  dropSteer(steer: PendingSteer): void {
    this.#steers = this.#steers.filter((each) => each !== steer);
  }

  /** What runs takes no words: the message is sent when it ends. */
  refuse(draft: Draft): void {
    this.#refused = [...this.#refused, draft];
  }

  queue(draft: Draft): void {
    this.#queued = [...this.#queued, draft];
  }

  /** Before all others. */
  queueFirst(drafts: readonly Draft[]): void {
    this.#queued = [...drafts, ...this.#queued];
  }

  /** All that were refused, which wait no more. */
  takeRefused(): readonly Draft[] {
    const drafts = this.#refused;
    this.#refused = [];
    return drafts;
  }

  takeFirst(): Draft | undefined {
    return this.takeAt(0);
  }

  takeLast(): Draft | undefined {
    return this.takeAt(this.#queued.length - 1);
  }

  takeAt(at: number): Draft | undefined {
    const draft = this.#queued[at];
    this.#queued = this.#queued.filter((each) => each !== draft);
    return draft;
  }

  /** Another place in the queue. Gives the place that the draft has then. */
  move(at: number, to: number): number {
    const draft = this.#queued[at];
    if (draft === undefined || to < 0 || to >= this.#queued.length) return at;
    this.#queued = this.#queued.toSpliced(at, 1).toSpliced(to, 0, draft);
    return to;
  }

  /** After an interrupt: what was refused, then what was queued. Nothing waits any more. */
  takeBack(): readonly Draft[] {
    const drafts = [...this.takeRefused(), ...this.#queued];
    this.#queued = [];
    return drafts;
  }
}
