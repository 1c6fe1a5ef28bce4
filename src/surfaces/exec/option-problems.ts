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
      message: `The folder ${path} given with --add-dir does not exist.`,
      next: 'Until it does, the option has no effect.',
    }));
}

/** What needs a turn, by the name that the user gave. */
const wants = [
  ['image', '--image'],
  ['outputSchema', '--output-schema'],
  ['lastMessageFile', '-o'],
  ['cyberAccessProgram', '--cyber-access-program'],
] as const;

/** The option that says something about a prompt, if there is one. */
export function needsPrompt({ options }: ExecArguments): string | undefined {
  return wants.find(([key]) => key !== 'lastMessageFile' && (options[key]?.length ?? 0) > 0)?.[1];
}

/** Why a fork without a prompt cannot do what an option asks for. */
export function forkProblem({ options }: ExecArguments): Outcome<'no-prompt'> | undefined {
  const given = wants.find(([key]) => (options[key]?.length ?? 0) > 0)?.[1];
  const option = given ?? (options.ephemeral ? '--ephemeral' : undefined);
  if (option === undefined) return undefined;
  return {
    code: 'no-prompt',
    message: `${option} needs a prompt, and there is none.`,
    next: 'Give the prompt after the thread, or "-" to read it from standard input, or leave out the option.',
  };
}

/** A thread that another program writes can still be asked, in a copy that is not kept. */
export function whileLocked(outcome: Outcome): Outcome {
  if (outcome.code !== 'thread-locked') return outcome;
  return { ...outcome, next: `${outcome.next} To ask it something without keeping the answer, add --ephemeral.` };
}
