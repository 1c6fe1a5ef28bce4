import { defined } from '../protocol/defined.ts';
import { isDenied, needsSandbox } from './access.ts';
import type { CallNeeds } from './approval.ts';
import { type CallDecision, canAskAbout, deniedForGood, type DecisionContext, whyNotAsked } from './call-decision.ts';
import { grantedPolicy, isNoPermission, missingPermissions } from './granted-policy.ts';
import { permissionKeys, permissionsOf } from './grants.ts';

/** Permissions for later calls. What is granted already is not asked for again. */
export function decideRequest(
  context: DecisionContext,
  { permissions: wanted, reason }: NonNullable<CallNeeds['request']>,
): CallDecision {
  const { policy, grants } = context;
  // Without a sandbox of ours there is nothing to grant.
  if (!needsSandbox(policy)) return { kind: 'run', where: 'sandbox' };
  const open = grantedPolicy(policy, { where: 'sandbox', extra: permissionsOf(grants) });
  const permissions = missingPermissions(open, wanted);
  if (isNoPermission(permissions)) return { kind: 'run', where: 'sandbox' };
  const paths = [...(permissions.read ?? []), ...(permissions.write ?? [])];
  const denied = paths.find((path) => isDenied(policy, path));
  if (denied !== undefined) return deniedForGood(denied);
  if (!canAskAbout(context, 'permissions')) {
    const next = 'Work with the permissions that you have, or tell the user what is needed.';
    return { kind: 'refuse', why: whyNotAsked(context, 'permissions'), next };
  }
  return {
    kind: 'ask',
    question: {
      kind: 'permissions',
      reason: 'They would still run inside the sandbox.',
      ...defined({ justification: reason }),
      permissions,
      scopes: ['call', 'session'],
    },
    where: 'sandbox',
    grantKeys: permissionKeys(permissions),
  };
}
