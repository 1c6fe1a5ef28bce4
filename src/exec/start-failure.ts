import { statSync } from 'node:fs';
import { errorCode } from '../disk/file-system.ts';
import type { PlainCommand } from '../ports/sandbox.ts';
import { errorWords } from '../protocol/error-words.ts';

/** Why the operating system did not start the command, in a sentence. */
export function startFailure(command: Pick<PlainCommand, 'argv' | 'cwd'>, error: unknown): string {
  // The system reports a missing working folder as if the program were missing.
  const folder = folderProblem(command.cwd);
  if (folder !== undefined) return folder;
  const program = JSON.stringify(command.argv[0] ?? '');
  const known: Readonly<Record<string, string>> = {
    ENOENT: `The program ${program} was not found.`,
    EACCES: `The program ${program} is not executable.`,
    E2BIG: 'The command line and its environment are longer than the system allows.',
  };
  return known[errorCode(error) ?? ''] ?? `The command could not be started: ${errorWords(error)}`;
}

/** What stands where the command was to start is not the folder that was decided on. */
export function folderReplaced({ cwd }: Pick<PlainCommand, 'cwd'>): string {
  return `The working folder ${JSON.stringify(cwd)} was removed or replaced after this call was decided. Call it again when no other command changes it.`;
}

function folderProblem(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : `The working folder ${JSON.stringify(cwd)} is not a folder.`;
  } catch (error) {
    return `The working folder ${JSON.stringify(cwd)} ${errorCode(error) === 'ENOENT' ? 'does not exist' : 'cannot be used'}.`;
  }
}
