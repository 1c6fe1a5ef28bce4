import { resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ExecArguments } from '../commands/exec-command.ts';

/** What `--add-dir` names and is not there. A command may make the folder later, so the turn is not refused. */
export function missingAddedFolders({ options }: ExecArguments, cwd: string): readonly Outcome[] {
  const paths = options.addDirectory.map((folder) => resolve(cwd, folder));
  return paths
    .filter((path) => kindOfEntry(path) === 'missing')
    .map((path) => ({
      code: 'added-folder-missing',
      message: `The folder ${path} that --add-dir names does not exist.`,
      next: 'As long as it does not, nothing becomes writable by it.',
    }));
}

/** What needs a turn, and why. */
const wants = [
  ['image', 'A picture goes with a prompt'],
  ['outputSchema', 'An output schema is for the answer to a prompt'],
  ['lastMessageFile', 'The answer to a prompt is what -o writes'],
  ['cyberAccessProgram', 'An access program is for a turn'],
] as const;

/** Why a fork without a prompt would be without what was asked for. */
export function forkProblem({ options }: ExecArguments): Outcome<'no-prompt'> | undefined {
  const want = wants.find(([key]) => (options[key]?.length ?? 0) > 0)?.[1];
  const reason = want ?? (options.ephemeral ? 'Of a fork with --ephemeral nothing is left' : undefined);
  if (reason === undefined) return undefined;
  return {
    code: 'no-prompt',
    message: `${reason}, and there is no prompt.`,
    next: 'Give the prompt behind the thread, or "-" to read it from standard input; or leave the option out.',
  };
}

/** A thread that another program writes can still be asked, in a copy that is not kept. */
export function whileLocked(outcome: Outcome): Outcome {
  if (outcome.code !== 'thread-locked') return outcome;
  return { ...outcome, next: `${outcome.next} To ask it something without keeping the answer, add --ephemeral.` };
}
