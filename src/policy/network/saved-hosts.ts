import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

/** A host that the user allowed or denied for good. */
export interface SavedHost {
  readonly host: string;
  readonly action: 'allow' | 'deny';
}

/**
 * The policy with saved hosts in its lists. Without lists it stays as it is: all hosts are open to commands, or none.
 * As everywhere, deny wins.
 */
export function withSavedHosts(policy: ResolvedPolicy, saved: readonly SavedHost[]): ResolvedPolicy {
  const { lists } = policy;
  if (lists === undefined || saved.length === 0) return policy;
  const hosts = (wanted: SavedHost['action'], listed: readonly string[]): readonly string[] => {
    const added = saved.filter(({ action }) => action === wanted).map(({ host }) => host);
    return [...new Set([...listed, ...added])];
  };
  return { ...policy, lists: { ...lists, allow: hosts('allow', lists.allow), deny: hosts('deny', lists.deny) } };
}
