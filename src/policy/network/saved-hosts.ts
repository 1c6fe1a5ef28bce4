import type { NetworkLists } from '../../protocol/network-lists.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';

/** A host that the user allowed or denied for good. */
export interface SavedHost {
  readonly host: string;
  readonly action: 'allow' | 'deny';
}

const allHosts: NetworkLists = { allow: ['*'], deny: [], local: true, methods: 'any' };

/**
 * The policy with saved hosts in its lists. A network without lists gets some if a host is denied: all others stay open.
 * Where no sandbox of ours stands, nothing could keep to them. As everywhere, deny wins.
 */
export function withSavedHosts(policy: ResolvedPolicy, saved: readonly SavedHost[]): ResolvedPolicy {
  const isDenied = saved.some(({ action }) => action === 'deny');
  const { lists = isDenied ? allHosts : undefined } = policy;
  if (lists === undefined || saved.length === 0 || policy.enforcement !== 'managed') return policy;
  const hosts = (wanted: SavedHost['action'], listed: readonly string[]): readonly string[] => {
    const added = saved.filter(({ action }) => action === wanted).map(({ host }) => host);
    return [...new Set([...listed, ...added])];
  };
  return { ...policy, lists: { ...lists, allow: hosts('allow', lists.allow), deny: hosts('deny', lists.deny) } };
}
