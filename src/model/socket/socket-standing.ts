/** The first time that no WebSocket is tried after a failure; doubled each time. */
const firstWaitMs = 60_000;
const longestWaitMs = 30 * 60_000;
/** A connection that broke may have been bad luck. */
const mostBreaks = 2;

/**
 * Whether a WebSocket is worth a try. `trusted`: requests wait for it. `doubtful`: it failed some time ago, so it may be
 * opened beside a request that does not wait for it. `avoided`: it failed a short time ago.
 */
export type SocketTrust = 'trusted' | 'doubtful' | 'avoided';

/** Remembers how the WebSockets of one provider went, for one thread. */
export class SocketStanding {
  /** In a row, of times when it was given up. */
  #failures = 0;
  /** In a row, of answers that broke off. */
  #breaks = 0;
  #avoidedUntil = 0;

  at(now: number): SocketTrust {
    if (this.#failures === 0) return 'trusted';
    return now < this.#avoidedUntil ? 'avoided' : 'doubtful';
  }

  /** None could be opened. */
  refused(now: number): void {
    this.#avoidedUntil = now + Math.min(firstWaitMs * 2 ** this.#failures, longestWaitMs);
    this.#failures += 1;
  }

  /** An answer broke off. */
  broke(now: number): SocketTrust {
    this.#breaks += 1;
    if (this.#breaks >= mostBreaks) this.refused(now);
    return this.at(now);
  }

  /** One is open, although it was doubtful: the next request uses it. */
  opened(): void {
    this.#avoidedUntil = 0;
  }

  /** An answer came whole. */
  worked(): void {
    this.#failures = 0;
    this.#breaks = 0;
  }
}
