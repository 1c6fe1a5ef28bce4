import { collect, type Collected } from '../../rollout/collect.ts';
import { type CollectOptions, graceMs } from '../../rollout/collect-options.ts';
import { collect as collectSnapshots } from '../../workspace/collect.ts';

/** Removes what no thread refers to, of what threads keep beside their lines and of snapshots. */
export function collectUnused(options: Omit<CollectOptions, 'collectSnapshots'>): Promise<Collected> {
  const young = { now: options.clock.now(), graceMs };
  return collect({ ...options, collectSnapshots: (trees) => collectSnapshots(options.home, trees, young) });
}
