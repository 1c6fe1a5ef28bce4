import type { Settings } from '../../envelope/settings.ts';
import { withNetworkRules } from '../../policy/network/network-rules.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

/** The policy of a thread as far as a sentence about it needs: without what the machine adds. */
export function policyInForce({
  cwd,
  profile,
  networkRules = [],
}: Pick<Settings, 'cwd' | 'profile' | 'networkRules'>): ResolvedPolicy {
  const places = { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
  return withNetworkRules(resolvePolicy(profile, places), networkRules);
}
