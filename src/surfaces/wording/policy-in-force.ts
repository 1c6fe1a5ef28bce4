import type { Settings } from '../../envelope/settings.ts';
import { withNetworkRules } from '../../policy/network/network-rules.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';
import { readOnlyProfile } from '../../policy/read-only-profile.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

/** The policy of a thread as far as a sentence about it needs: without what the machine adds. */
export function policyInForce({
  cwd,
  sandbox,
  collaboration,
  changesNothing,
  networkRules = [],
}: Pick<Settings, 'cwd' | 'sandbox' | 'collaboration' | 'changesNothing' | 'networkRules'>): ResolvedPolicy {
  const places = { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
  const isReadOnly = changesNothing === true || collaboration?.mode === 'plan';
  return withNetworkRules(resolvePolicy(isReadOnly ? readOnlyProfile(sandbox) : sandbox, places), networkRules);
}
