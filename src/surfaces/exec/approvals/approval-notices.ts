import type { Outcome } from '../../../protocol/outcome.ts';
import type { ExecArguments } from '../../commands/exec-command.ts';
import type { OpenedThread } from '../../engine/open-thread.ts';

/** One of the two options that make Capstan ask is given, and has no effect without the other. */
export function approvalMismatch(
  { options: { approvals, askForApproval: policy } }: ExecArguments,
  { approval }: Pick<OpenedThread['settings'], 'approval'>,
): Outcome | undefined {
  if (approval !== 'never') return undefined;
  if (approvals !== undefined) {
    return {
      code: 'approvals-unused',
      message: 'The approval policy is never, so --approvals has no effect.',
      next: 'Add -a on-request to be asked.',
    };
  }
  if (policy === undefined || policy === 'never') return undefined;
  return {
    code: 'approvals-missing',
    message: `-a ${policy} has no effect without --approvals: Capstan asks nothing, and refuses what would need your consent.`,
    next: 'Add --approvals ask to be asked.',
  };
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
