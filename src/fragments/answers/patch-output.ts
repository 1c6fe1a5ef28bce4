import type { StoppedBy } from '../../protocol/stopped-by.ts';
import { abortedWords } from './command-output.ts';
import { type Budget, truncateMiddle } from '../text/truncate.ts';

/** The answer to a patch that was carried out, or that failed while it was. */
export function patchOutput(
  { exitCode, seconds, output }: { readonly exitCode: number; readonly seconds: number; readonly output: string },
  budget: Budget,
): string {
  const cut = truncateMiddle(output, budget);
  const lines = cut === output ? [] : [`Total output lines: ${output.split('\n').length}`];
  const facts = [`Exit code: ${exitCode}`, `Wall time: ${Math.round(seconds * 10) / 10} seconds`, ...lines];
  return [...facts, 'Output:', cut].join('\n');
}

/** The answer to a patch that cannot be read, or does not fit the files. Nothing was written. */
export function patchUnfit(problem: string, budget: Budget): string {
  return truncateMiddle(`apply_patch verification failed: ${problem}`, budget);
}

/** The same of an edit. */
export function editUnfit(problem: string, budget: Budget): string {
  return truncateMiddle(`edit_file failed: ${problem}`, budget);
}

/** The answer to a patch that may not be applied. Nothing was written. */
export function patchRejected(reason: string, budget: Budget): string {
  return truncateMiddle(`patch rejected: ${reason}`, budget);
}

/** The answer to a patch that was not begun because the turn ended. */
export function patchAborted(by: StoppedBy): string {
  return `${abortedWords[by]} before anything was changed`;
}

/** The answer to a command that is a patch and nothing else. */
export const patchWithoutTool =
  'apply_patch verification failed: this command is a patch, which no shell can run. Call the tool apply_patch with it.';

/** The same for a model that edits files in another way. */
export const patchForEditor =
  'apply_patch verification failed: this command is a patch, which no shell can run. Change files with the tool edit_file.';

/** The same where no patch can be applied, and so the tool is not offered. */
export const patchNotPossible =
  'patch rejected: this command is a patch, and no file may be changed under the permissions that hold now.';

/** The answer to a patch that came as a shell command and was carried out. */
export function patchFromCommand(answer: string): string {
  return `Wall time: 0.0000 seconds\nOutput:\n${answer}`;
}
