import type { Clock } from '../ports/clock.ts';
import type { ThreadId } from '../protocol/ids.ts';

/** The right to write a thread. From `until` on another writer may take it over. */
export interface MemoryLease {
  readonly epoch: number;
  until: number;
}

/** Who may write which thread. A lease lasts as long as its writer is heard of, and longer if no other writer comes. */
export function createMemoryLeases(clock: Clock, leaseMs: number) {
  const leases = new Map<ThreadId, MemoryLease>();
  let lastEpoch = 0;
  return {
    /** Undefined when a writer has it that was heard of a short while ago. */
    take(id: ThreadId): MemoryLease | undefined {
      const held = leases.get(id);
      if (held !== undefined && clock.now() < held.until) return undefined;
      const taken = { epoch: ++lastEpoch, until: clock.now() + leaseMs };
      leases.set(id, taken);
      return taken;
    },
    /** Whether the lease still is the thread's. If so it lasts longer. */
    renew(id: ThreadId, lease: MemoryLease): boolean {
      lease.until = clock.now() + leaseMs;
      return leases.get(id) === lease;
    },
    giveBack(id: ThreadId, lease: MemoryLease): void {
      if (leases.get(id) === lease) leases.delete(id);
    },
  };
}
