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
