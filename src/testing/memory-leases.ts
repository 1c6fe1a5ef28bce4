import type { Clock } from '../ports/clock.ts';
import type { ThreadId } from '../protocol/ids.ts';

/** The right to write a thread. From `until` on another writer may take it over. */
export interface MemoryLease {
  readonly epoch: number;
  until: number;
}

/** Who may write which thread. A lease lasts as long as its writer is heard of, and longer if no other writer comes. */
export class MemoryLeases {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #leases = new Map<ThreadId, MemoryLease>();
  #lastEpoch = 0;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /** Undefined when a writer has it that was heard of a short while ago. */
  take(id: ThreadId): MemoryLease | undefined {
    const held = this.#leases.get(id);
    if (held !== undefined && this.#clock.now() < held.until) return undefined;
    this.#lastEpoch += 1;
    const taken = { epoch: this.#lastEpoch, until: this.#clock.now() + this.#leaseMs };
    this.#leases.set(id, taken);
    return taken;
  }

  /** Whether the lease still is the thread's. If so it lasts longer. */
  renew(id: ThreadId, lease: MemoryLease): boolean {
    lease.until = this.#clock.now() + this.#leaseMs;
    return this.#leases.get(id) === lease;
  }

  giveBack(id: ThreadId, lease: MemoryLease): void {
    if (this.#leases.get(id) === lease) this.#leases.delete(id);
  }
}
