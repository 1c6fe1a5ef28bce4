import type { Settings } from '../../../envelope/settings.ts';
import { approvalName } from '../../../policy/approval-policy.ts';
import { sandboxLevelOf } from '../../../policy/describe-policy.ts';
import { oncePerObject } from '../../../protocol/once-per-object.ts';
import { policyInForce } from '../../wording/policy-in-force.ts';
import { dimStyle, type Piece, styled, warnStyle } from '../text/style.ts';

/** Settings change seldom, and the line is drawn with every frame. */
export const sandboxLevel = oncePerObject((settings: Settings) => sandboxLevelOf(policyInForce(settings)));

const names: Readonly<Record<string, string>> = {
  'workspace-write on-request': 'Ask',
  'read-only on-request': 'Read only',
  'danger-full-access never': 'Full access',
};

/** What the turn may do without a question, by the names of `/permissions` where it has one. Plan mode comes first. */
export function permissionMode(settings: Settings): Piece {
  if (settings.collaboration?.mode === 'plan') return styled('Plan mode', { colour: 'special' });
  const [level, approval] = [sandboxLevel(settings), approvalName(settings.approval)];
  const name = names[`${level} ${approval}`] ?? `${level}, ${approval}`;
  return styled(name, level === 'danger-full-access' ? warnStyle : dimStyle);
}
