import { cachePerObject } from '../../../base/objects.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import { approvalName, mayReviewerAnswer } from '../../../core/policy/decide/approval-policy.ts';
import { sandboxLevelOf } from '../../../core/policy/profiles/describe-policy.ts';
import { policyInForce } from '../../../engine/wording.ts';
import type { ApprovalsReviewer } from '../../../protocol/question.ts';
import { dimStyle, type RowPiece, styled, warnStyle } from '../screen/text/style.ts';

export interface PermissionPreset {
  readonly label: string;
  readonly about: string;
  readonly sandbox: 'workspace-write' | 'read-only' | 'danger-full-access';
  readonly approval: 'on-request' | 'never';
  readonly reviewer: ApprovalsReviewer;
}

const asking = { approval: 'on-request', reviewer: 'user' } as const;

export const permissionPresets: readonly PermissionPreset[] = [
  {
    label: 'Ask',
    about: 'work in this folder; ask before commands that need more',
    sandbox: 'workspace-write',
    ...asking,
  },
  { label: 'Read only', about: 'ask before every change', sandbox: 'read-only', ...asking },
  {
    label: 'Full access',
    about: 'no sandbox and no questions: only where something else isolates Capstan',
    sandbox: 'danger-full-access',
    approval: 'never',
    reviewer: 'user',
  },
  {
    label: 'Reviewed',
    about: 'work in this folder; a model answers questions in your place',
    sandbox: 'workspace-write',
    approval: 'on-request',
    reviewer: 'auto_review',
  },
];

/** Cached: settings change rarely, but screens ask on every frame. */
const standing = cachePerObject((settings: Settings) => {
  const [sandbox, approval] = [sandboxLevelOf(policyInForce(settings)), approvalName(settings.approvals)];
  const isOfModel = mayReviewerAnswer({ ...settings, approval: settings.approvals });
  const reviewer: ApprovalsReviewer = isOfModel ? 'auto_review' : 'user';
  const ofReviewer = permissionPresets.filter((each) => each.reviewer === reviewer);
  const preset = ofReviewer.find((each) => each.sandbox === sandbox && each.approval === approval);
  return { sandbox, preset, words: preset?.label ?? `${sandbox}, ${approval}${isOfModel ? ', reviewed' : ''}` };
});

export const presetOf = (settings: Settings): PermissionPreset | undefined => standing(settings).preset;
export const sandboxLevel = (settings: Settings): string => standing(settings).sandbox;

/** Names the permissions of the turn, as `/permissions` does if it has a name. In plan mode, names that instead. */
export function permissionMode(settings: Settings): RowPiece {
  if (settings.collaboration?.mode === 'plan') return styled('Plan mode', { colour: 'special' });
  return styled(standing(settings).words, sandboxLevel(settings) === 'danger-full-access' ? warnStyle : dimStyle);
}
