import type { Owned } from '../../ports/rollout-store.ts';

type OwnedFacts = Omit<Owned, 'append' | 'durable' | 'close'>;

/** What a store around a store passes on of a lease. */
export function ownedFacts({ kind, epoch, location, mode, torn, meta }: Owned): OwnedFacts {
  return {
    kind,
    epoch,
    location,
    mode,
    ...(torn === undefined ? {} : { torn }),
    ...(meta === undefined ? {} : { meta }),
  };
}
