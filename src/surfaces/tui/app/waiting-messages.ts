/** A message or command that waits for its turn. It is read when it comes up. */
export interface QueuedDraft {
  readonly words: string;
  /** A command for the user's shell: a `!` that came out of a paste makes none. */
  readonly isShell: boolean;
}

/** Words for the turn that runs. */
export interface PendingSteer {
  readonly words: string;
  /** The engine's name for them, when it has accepted them. Undefined: it did not. */
  readonly accepted: Promise<string | undefined>;
}

/**
 * What the user has sent and the model has not read, in three lists: words for the turn that runs, words that it did not
 * take, which go first when it ends, and drafts that each wait for a turn of their own.
 */
export class WaitingMessages {
  #steers: readonly PendingSteer[] = [];
  #refused: readonly string[] = [];
  #queued: readonly QueuedDraft[] = [];

  get steers(): readonly PendingSteer[] {
    return this.#steers;
  }

  get refused(): readonly string[] {
    return this.#refused;
  }

  get queued(): readonly QueuedDraft[] {
    return this.#queued;
  }

  steer(steer: PendingSteer): void {
    this.#steers = [...this.#steers, steer];
  }

  /** The model has the words: the oldest ones that say the same wait no more. */
  read(words: string): void {
    const at = this.#steers.findIndex((steer) => steer.words === words);
    if (at !== -1) this.#steers = this.#steers.toSpliced(at, 1);
  }

  dropSteer(steer: PendingSteer): void {
    this.#steers = this.#steers.filter((each) => each !== steer);
  }

  /** What runs takes no words: they are sent when it ends. */
  refuse(words: string): void {
    this.#refused = [...this.#refused, words];
  }

  queue(draft: QueuedDraft): void {
    this.#queued = [...this.#queued, draft];
  }

  /** All words that were refused, which wait no more. */
  takeRefused(): readonly string[] {
    const words = this.#refused;
    this.#refused = [];
    return words;
  }

  takeFirst(): QueuedDraft | undefined {
    return this.takeAt(0);
  }

  takeLast(): QueuedDraft | undefined {
    return this.takeAt(this.#queued.length - 1);
  }

  takeAt(at: number): QueuedDraft | undefined {
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

  /** After an interrupt: what was refused, then what was queued, as one text. Nothing waits any more. */
  takeBack(): string | undefined {
    const words = [...this.takeRefused(), ...this.#queued.map((draft) => draft.words)];
    this.#queued = [];
    return words.length === 0 ? undefined : words.join('\n');
  }
}
