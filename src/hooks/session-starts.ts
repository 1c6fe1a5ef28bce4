/** Where a thread stands when hooks of the start of a session may be due. */
export interface SessionPlace {
  readonly threadId: string;
  /** How many turns it has had, the one that runs among them. */
  readonly turns: number;
  readonly checkpoints: number;
}

/**
 * Where hooks of the start of a session ran in this process, for the sessions that have not ended. A thread is given up
 * and opened again in one, for example to pin a note: that starts no other, unless what they said was taken back or
 * compacted meanwhile.
 */
export class SessionStarts {
  readonly #ran: Map<string, SessionPlace>;

  /** `ran`: by thread, kept by the engine. */
  constructor(ran = new Map<string, SessionPlace>()) {
    this.#ran = ran;
  }

  ranAt(place: SessionPlace): void {
    this.#ran.set(place.threadId, place);
  }

  /** Whether a session of the thread had started. From here on none has. */
  takeEnd(threadId: string): boolean {
    return this.#ran.delete(threadId);
  }

  holdsAt({ threadId, turns, checkpoints }: SessionPlace): boolean {
    const ran = this.#ran.get(threadId);
    return ran !== undefined && turns > ran.turns && checkpoints === ran.checkpoints;
  }
}
