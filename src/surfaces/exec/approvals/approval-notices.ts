import { needsSandbox } from '../../../policy/access.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../../protocol/resolved-policy.ts';
import type { ExecArguments } from '../../commands/exec-command.ts';
import type { OpenedThread } from '../../engine/open-thread.ts';
import { policyInForce } from '../../wording/policy-in-force.ts';

/** One of the two options that make Capstan ask is given, and has no effect without the other. */
export function approvalMismatch(
  { options: { approvals, askForApproval: policy } }: ExecArguments,
  settings: Pick<
    OpenedThread['settings'],
    'approvals' | 'askedApproval' | 'collaboration' | 'cwd' | 'sandbox' | 'networkRules'
  >,
): Outcome | undefined {
  const { askedApproval } = settings;
  if (settings.approvals !== 'never') return undefined;
  if (approvals !== undefined) {
    return {
      code: 'approvals-unused',
      message: 'The approval policy is never, so --approvals has no effect.',
      next: 'Add -a on-request to be asked.',
    };
  }
  // A default asks too, and most runs do without it; who wrote `untrusted` counts on being asked.
  const unused = policy ?? (askedApproval === 'untrusted' ? askedApproval : undefined);
  if (unused === undefined || unused === 'never') return undefined;
  const written = policy === undefined ? 'The approval policy' : '-a';
  return {
    code: 'approvals-missing',
    message: `${written} ${unused} has no effect without --approvals: this run has the policy never. ${runsUnasked(policyInForce(settings))}`,
    next: 'Add --approvals ask to be asked.',
  };
}

/** What the policy `never` lets run, and what it refuses. */
function runsUnasked(policy: ResolvedPolicy): string {
  return needsSandbox(policy)
    ? 'Commands and patches run inside the sandbox without a question. Capstan refuses those that need more, commands that destroy, and those that a rule asks about.'
    : 'Commands and patches run without a sandbox and without a question. Capstan refuses only commands that destroy, and those that a rule asks about.';
}

/** A thread that waits says how to answer. A run that continues its turn asks at once, or says so itself if it cannot. */
export function asksNow(notice: Outcome, run: 'asks' | 'cannot-ask' | 'starts-anew'): Outcome {
  if (run === 'starts-anew' || notice.code !== 'turn-suspended') return notice;
  return { ...notice, next: run === 'asks' ? 'The question follows, if the call is still allowed.' : '' };
}

/** Why a thread cannot be resumed without a prompt: its last turn may have been cut off where nothing can be answered. */
export function nothingToAnswer(missing: Outcome, notices: readonly Outcome[]): Outcome {
  const cutOff = notices.find(({ code }) => code === 'turn-cut-off');
  if (cutOff === undefined) return missing;
  const next = `${cutOff.next} There is nothing to answer: give a prompt to continue the thread.`;
  return { ...missing, message: cutOff.message, next };
}
