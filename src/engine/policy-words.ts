import type { Settings } from '../core/envelope/settings.ts';
import { noOwnPlaces } from '../core/policy/paths/special-places.ts';
import type { PolicyDescription } from '../core/policy/profiles/describe-policy.ts';
import { readOnlyProfile } from '../core/policy/profiles/narrower-profile.ts';
import { resolvePolicy } from '../core/policy/profiles/resolve-policy.ts';
import { withNetworkRules } from '../core/policy/rules/rule-set.ts';
import type { ResolvedPolicy } from '../protocol/permissions.ts';

type Named = Pick<PolicyDescription, 'mode' | 'network' | 'lists'>;

/** True if questions about hosts reach a user; otherwise such hosts are refused. */
type Asking = { readonly asksAboutRules: boolean };

/** A policy in a few words: the name of a user's profile, or the mode, then what of the network is open. */
export function policyWords(
  policy: Named,
  { profileName, ...asking }: Asking & { readonly profileName: string | undefined },
): string {
  const isOwn = profileName !== undefined && !profileName.startsWith(':');
  const name = isOwn ? `profile ${profileName}` : policy.mode;
  return policy.network === 'restricted' ? name : `${name}, ${networkWords(policy, asking)}`;
}

export function networkWords({ network, lists }: Pick<Named, 'network' | 'lists'>, { asksAboutRules }: Asking): string {
  if (network === 'restricted' || lists === undefined) return `network ${network}`;
  const { allow, deny, ask = [], local } = lists;
  const asked = ask.length === 0 ? '' : ` (${ask.length} ${asksAboutRules ? 'asked about' : 'refused'})`;
  if (!allow.includes('*')) return `${allow.length === 1 ? '1 host' : `${allow.length} hosts`}${asked}`;
  return `${local ? 'all hosts' : 'public hosts'}${deny.length === 0 ? '' : ` except ${deny.length}`}${asked}`;
}

/** The part of a thread's policy that sentences need, without what the machine adds. */
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
