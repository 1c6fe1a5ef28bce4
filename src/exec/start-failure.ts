import { statSync } from 'node:fs';
import type { PlainCommand } from '../ports/sandbox.ts';

/** Why the operating system did not start the command, in a sentence. */
export function startFailure(command: PlainCommand, error: unknown): string {
  // The system reports a missing working folder as if the program were missing.
  const folder = folderProblem(command.cwd);
  if (folder !== undefined) return folder;
  const program = command.argv[0] ?? '';
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return `The program ${JSON.stringify(program)} was not found.`;
    case 'EACCES':
      return `The program ${JSON.stringify(program)} may not be executed.`;
    case 'E2BIG':
      return 'The command line and its environment are longer than the system allows.';
    default:
      return `The command could not be started: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function folderProblem(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : `The working folder ${JSON.stringify(cwd)} is not a folder.`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? `The working folder ${JSON.stringify(cwd)} does not exist.`
      : `The working folder ${JSON.stringify(cwd)} cannot be used.`;
  }
}
