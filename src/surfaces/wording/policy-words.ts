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
  if (lists.allow.includes('*'))
    return lists.deny.length === 0 ? 'public hosts' : `public hosts except ${lists.deny.length}`;
  return lists.allow.length === 1 ? '1 host' : `${lists.allow.length} hosts`;
}
