import { withNetworkRules } from '../../policy/network/network-rules.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import type { OpenedThread } from '../engine/open-thread.ts';

/** The policy of a thread as far as a sentence about it needs: without what the machine adds. */
export function policyInForce({
  cwd,
  profile,
  networkRules = [],
}: Pick<OpenedThread['settings'], 'cwd' | 'profile' | 'networkRules'>): ResolvedPolicy {
  const places = { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
  return withNetworkRules(resolvePolicy(profile, places), networkRules);
}
