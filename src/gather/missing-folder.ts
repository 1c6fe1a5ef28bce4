import type { Outcome } from '../protocol/outcome.ts';
import { kindOfEntry } from './file-system.ts';

/** Why a thread cannot work in the folder: nothing is there, or something else. */
export function missingFolder(path: string): Outcome<'no-folder'> | undefined {
  const kind = kindOfEntry(path);
  if (kind === 'folder') return undefined;
  return {
    code: 'no-folder',
    message: kind === 'missing' ? `There is no folder ${path}.` : `${path} is not a folder.`,
    next: 'Name the folder to work in with -C FOLDER.',
  };
}
