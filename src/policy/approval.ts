import type { ApprovalPolicy } from '../protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';

/** What a call takes, as its tool declares it before anything is done. Nothing declared: nothing that the policy governs. */
export interface CallNeeds {
  /** It starts a program, or changes files itself. */
  readonly effect?: 'program' | 'files';
  /** Files that it is known to read or write. Absolute, as the model spelled them: links are followed when it runs. */
  readonly paths?: readonly NeededPath[];
  /** More than the sandbox grants, with the model's reason if it gave one. */
  readonly escalation?: { readonly reason?: string };
}

export interface NeededPath {
  readonly path: string;
  readonly access: 'read' | 'write';
}

/** `run` always means inside the sandbox that the policy demands. */
export type ApprovalDecision = 'run' | 'ask' | 'refuse';

/** Whether a call may run. Tools do not ask this: what they declare is decided here, before they run. */
export function decideApproval(policy: ApprovalPolicy, { effect, escalation }: CallNeeds): ApprovalDecision {
  if (effect === undefined && escalation === undefined) return 'run';
  switch (policy) {
    case 'untrusted':
      return 'ask';
    case 'on-request':
      return escalation === undefined ? 'run' : 'ask';
    case 'never':
      return escalation === undefined ? 'run' : 'refuse';
  }
}

/** What a call runs under once it may run: the turn's policy, or none where the user granted an escalation. */
export function grantedPolicy(policy: ResolvedPolicy, { escalation }: CallNeeds): ResolvedPolicy {
  if (escalation === undefined) return policy;
  return { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };
}

/** Whether files of the workspace may be other ones afterwards. */
export function mayChangeFiles(sandboxLevel: string, { effect, escalation }: CallNeeds): boolean {
  if (effect === 'program') return escalation !== undefined || sandboxLevel !== 'read-only';
  return effect === 'files';
}
