import { needsSandbox } from '../../policy/access.ts';
import { grantedPolicy, standingPermissions } from '../../policy/granted-policy.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import type { Turn } from '../parts/parts.ts';
import { grantsNow } from '../parts/grants-now.ts';

/** Whether a command that runs under this policy may do what was granted for the turn alone. */
export function isTurnGranted(turn: Turn, policy: ResolvedPolicy): boolean {
  const { resolved } = turn.envelope.policy;
  const grants = grantsNow(turn, turn.envelope.policy);
  // Outside of a sandbox it runs by an answer of its own.
  if (grants.turn.length === 0 || !needsSandbox(policy)) return false;
  const lasting = grantedPolicy(resolved, { where: 'sandbox', extra: standingPermissions(resolved, grants.session) });
  return JSON.stringify(policy) !== JSON.stringify(lasting);
}
