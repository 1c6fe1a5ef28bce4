import { defined } from '../protocol/defined.ts';
import { needsSandbox } from './access.ts';
import type { CallNeeds } from './approval.ts';
import {
  type CallDecision,
  canAskAbout,
  deniedForGood,
  type DecisionContext,
  missingToWrite,
  whyNotAsked,
} from './call-decision.ts';
import {
  grantedPolicy,
  isNoPermission,
  missingPermissions,
  neverGranted,
  standingPermissions,
} from './granted-policy.ts';
import { withKeptBesideGit } from './kept-places.ts';
import { openedNetwork } from './opened-network.ts';
import { permissionKeys } from './grants.ts';

/** Permissions for later calls. What is granted already is not asked for again. */
export function decideRequest(
  context: DecisionContext,
  { permissions: wanted, reason }: NonNullable<CallNeeds['request']>,
  { missing, kept }: Pick<CallNeeds, 'missing' | 'kept'>,
): CallDecision {
  const { policy, grants } = context;
  // Without a sandbox of ours there is nothing to grant.
  if (!needsSandbox(policy)) return { kind: 'run', where: 'sandbox' };
  const open = grantedPolicy(policy, { where: 'sandbox', extra: standingPermissions(policy, grants) });
  const permissions = missingPermissions(withKeptBesideGit(open, kept), wanted);
  if (isNoPermission(permissions)) return { kind: 'run', where: 'sandbox' };
  const denied = neverGranted(policy, permissions);
  if (denied !== undefined) return deniedForGood(denied);
  if (!canAskAbout(context, 'permissions')) {
    const next = 'Work with the permissions that you have, or tell the user what is needed.';
    return { kind: 'refuse', why: whyNotAsked(context, 'permissions'), next };
  }
  const absent = missingToWrite(permissions, missing);
  if (absent !== undefined) return absent;
  const opened = permissions.network === true ? openedNetwork(policy.lists) : undefined;
  const inside = 'Commands would still run inside the sandbox.';
  const why = { reason: opened === undefined ? inside : `${inside} ${opened}`, ...defined({ justification: reason }) };
  return {
    kind: 'ask',
    question: { kind: 'permissions', ...why, permissions, scopes: ['call', 'session'] },
    where: 'sandbox',
    grantKeys: permissionKeys(permissions),
  };
}
