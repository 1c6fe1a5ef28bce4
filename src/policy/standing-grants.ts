import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { grantedPolicy, isNoPermission, standingPermissions } from './granted-policy.ts';
import type { Grant, GrantedExtra } from './grants.ts';

/** What answers opened beyond a policy, by how long it stays open. */
export interface StandingGrants {
  readonly session?: GrantedExtra;
  /** Besides what the session has. */
  readonly turn?: GrantedExtra;
}

/** The same permissions that commands get, taken apart for the text. Undefined: none. */
export function standingGrants(
  policy: ResolvedPolicy,
  { session, turn }: { readonly session: readonly Grant[]; readonly turn: readonly Grant[] },
): StandingGrants | undefined {
  const lasting = standingPermissions(policy, session);
  const all = turn.length === 0 ? lasting : standingPermissions(policy, [...session, ...turn]);
  const passing = without(all, lasting);
  if (isNoPermission(all)) return undefined;
  return {
    ...(isNoPermission(lasting) ? {} : { session: lasting }),
    ...(isNoPermission(passing) ? {} : { turn: passing }),
  };
}

/** A policy as it is described while the grants stand: what is said of the network is true of an opened one, too. */
export function withGrantedNetwork(policy: ResolvedPolicy, granted: StandingGrants = {}): ResolvedPolicy {
  const network = granted.session?.network === true || granted.turn?.network === true;
  return network ? grantedPolicy(policy, { where: 'sandbox', extra: { network } }) : policy;
}

function without(all: GrantedExtra, known: GrantedExtra): GrantedExtra {
  const rest = (of: 'read' | 'write' | 'hosts') => {
    const left = all[of]?.filter((each) => known[of]?.includes(each) !== true) ?? [];
    return left.length === 0 ? {} : { [of]: left };
  };
  const network = all.network === true && known.network !== true;
  return { ...(network ? { network } : {}), ...rest('read'), ...rest('write'), ...rest('hosts') };
}
