import type { ApprovalPolicy } from '../../protocol/permission-profile.ts';
import type { ApprovalsReviewer } from '../../protocol/review-verdict.ts';

/** Where a reviewer may answer: `untrusted` wants the user's own consent, and under `never` nothing is asked. */
export function isReviewed({
  approval,
  reviewer = 'user',
}: {
  readonly approval: ApprovalPolicy;
  readonly reviewer?: ApprovalsReviewer;
}): boolean {
  return reviewer === 'auto_review' && approval !== 'never' && approval !== 'untrusted';
}
