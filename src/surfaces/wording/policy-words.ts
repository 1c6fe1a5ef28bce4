import type { PolicyDescription } from '../../policy/describe-policy.ts';

type Named = Pick<PolicyDescription, 'mode' | 'network' | 'lists'>;

/** A policy in a few words: a profile of the user by its name, any other by its mode; then what of the network is open. */
export function policyWords(policy: Named, profileName: string | undefined): string {
  const isOwn = profileName !== undefined && !profileName.startsWith(':');
  const name = isOwn ? `profile ${profileName}` : policy.mode;
  return policy.network === 'restricted' ? name : `${name}, ${networkWords(policy)}`;
}

/** How much of the network commands reach. */
export function networkWords({ network, lists }: Pick<Named, 'network' | 'lists'>): string {
  if (network === 'restricted' || lists === undefined) return `network ${network}`;
  const { allow, deny, ask = [], local } = lists;
  const asked = ask.length === 0 ? '' : ` (${ask.length} asked about)`;
  if (!allow.includes('*')) return `${allow.length === 1 ? '1 host' : `${allow.length} hosts`}${asked}`;
  return `${local ? 'all hosts' : 'public hosts'}${deny.length === 0 ? '' : ` except ${deny.length}`}${asked}`;
}
