import { oddText } from '../../protocol/odd-text.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { kindOfEntry } from '../../disk/file-system.ts';

/** Why a thread cannot work in a folder, or undefined when it is there. */
export function folderProblem(path: string): Outcome<'folder-missing'> | undefined {
  const odd = oddText(path);
  if (odd !== undefined) {
    return {
      code: 'folder-missing',
      message: `The path of the folder holds ${odd}: ${JSON.stringify(path)}`,
      next: 'Choose another folder to work in with -C.',
    };
  }
  const kind = kindOfEntry(path);
  if (kind === 'folder') return undefined;
  return {
    code: 'folder-missing',
    message: kind === 'missing' ? `The folder ${path} does not exist.` : `${path} is not a folder.`,
    next: 'Make it, or choose another folder to work in with -C.',
  };
}
