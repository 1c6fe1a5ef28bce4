import type { ApprovalPolicy } from '../protocol/permission-profile.ts';

/** A plain command. `escalated` means that the model wants it to run with more than the sandbox grants. */
export interface RunRequest {
  readonly kind: 'run';
  readonly escalated: boolean;
}

/** `run` always means inside the sandbox that the policy demands. */
export type ApprovalDecision = 'run' | 'ask' | 'refuse';

export function decideApproval(policy: ApprovalPolicy, request: RunRequest): ApprovalDecision {
  switch (policy) {
    case 'untrusted':
      return 'ask';
    case 'on-request':
      return request.escalated ? 'ask' : 'run';
    case 'never':
      return request.escalated ? 'refuse' : 'run';
  }
}
