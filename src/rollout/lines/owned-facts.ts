import type { Owned } from '../../ports/rollout-store.ts';
import { defined } from '../../protocol/defined.ts';

/** What a store around a store passes on of a lease. */
export function ownedFacts({ kind, epoch, location, mode, torn, meta, newest }: Owned) {
  return { kind, epoch, location, mode, ...defined({ torn, meta, newest }) };
}
