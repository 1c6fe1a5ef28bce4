import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

/** How far commands get: nowhere, to the hosts of the lists through the proxy, or everywhere. */
export type NetworkReach = 'none' | 'listed' | 'all';

/** Lists narrow a network that is enabled. They never open one that is restricted. */
export function networkReach({ network, lists }: Pick<ResolvedPolicy, 'network' | 'lists'>): NetworkReach {
  if (network === 'restricted') return 'none';
  return lists === undefined ? 'all' : 'listed';
}
