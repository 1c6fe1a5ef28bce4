import { kindOfEntry } from '../../engine/files.ts';
import { needsSandbox } from '../../core/policy/paths/access.ts';
import { policyInForce } from '../../engine/policy-words.ts';
import type { OpenedThread } from '../../engine/thread-setup/open-thread.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import type { ExecArguments } from '../views/command-line/exec-command.ts';
import { resolve } from 'node:path';

/** Reports if only one of the two options that make Capstan ask is given: it has no effect without the other. */
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
    const message = 'The approval policy is never, so --approvals has no effect.';
    return { code: 'approvals-unused', message, next: 'Add -a on-request to be asked.' };
  }
  // A default policy asks too, and most runs do without it; a user who wrote `untrusted` expects to be asked.
  const unused = policy ?? (askedApproval === 'untrusted' ? askedApproval : undefined);
  if (unused === undefined || unused === 'never') return undefined;
  const written = policy === undefined ? 'The approval policy' : '-a';
  return {
    code: 'approvals-missing',
    message: `${written} ${unused} has no effect without --approvals: this run has the policy never. ${runsUnasked(policyInForce(settings))}`,
    next: 'Add --approvals ask to be asked.',
  };
}

const runsUnasked = (policy: ResolvedPolicy): string =>
  needsSandbox(policy)
    ? 'Commands and patches run inside the sandbox without a question. Capstan refuses those that need more, commands that destroy, and those that a rule asks about.'
    : 'Commands and patches run without a sandbox and without a question. Capstan refuses only commands that destroy, and those that a rule asks about.';

/** A waiting thread explains how to answer; a run that continues its turn asks at once, or says that it cannot. */
export function adaptSuspendedNotice(notice: Outcome, run: 'asks' | 'cannot-ask' | 'starts-anew'): Outcome {
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

/** Reports folders of `--add-dir` that do not exist. A command may make one later, so the turn is not refused. */
export function missingAddedFolders({ options }: ExecArguments, cwd: string): readonly Outcome[] {
  const paths = options.addDirectory.map((folder) => resolve(cwd, folder));
  return paths
    .filter((path) => kindOfEntry(path) === 'missing')
    .map((path) => ({
      code: 'added-folder-missing',
      message: `The folder ${path} given with --add-dir does not exist.`,
      next: 'Until it does, the option has no effect.',
    }));
}

const wants = [
  ['image', '--image'],
  ['outputSchema', '--output-schema'],
  ['lastMessageFile', '-o'],
  ['cyberAccessProgram', '--cyber-access-program'],
] as const;

export const needsPrompt = ({ options }: ExecArguments): string | undefined =>
  wants.find(([key]) => key !== 'lastMessageFile' && (options[key]?.length ?? 0) > 0)?.[1];

/** Why a fork without a prompt cannot do what an option requests. */
export function forkProblem({ options }: ExecArguments): Outcome<'no-prompt'> | undefined {
  const given = wants.find(([key]) => (options[key]?.length ?? 0) > 0)?.[1];
  const option = given ?? (options.ephemeral ? '--ephemeral' : undefined);
  if (option === undefined) return undefined;
  const next = 'Give the prompt after the thread, or "-" to read it from standard input, or leave out the option.';
  return { code: 'no-prompt', message: `${option} needs a prompt, and there is none.`, next };
}

/** A thread that another program writes can still be asked, in a copy that is not kept. */
export function withEphemeralHint(outcome: Outcome): Outcome {
  if (outcome.code !== 'thread-locked') return outcome;
  return { ...outcome, next: `${outcome.next} To ask it something without keeping the answer, add --ephemeral.` };
}
