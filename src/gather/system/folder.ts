import { oddText } from '../../protocol/odd-text.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { kindOfEntry } from '../../disk/file-system.ts';

/** Why a thread cannot work in a folder, or undefined when it is there. */
export function folderProblem(path: string): Outcome<'folder-missing'> | undefined {
  const code = 'folder-missing';
  const odd = oddText(path);
  if (odd !== undefined) {
    const message = `The path of the folder contains ${odd}: ${JSON.stringify(path)}`;
    return { code, message, next: 'Choose another working folder with -C.' };
  }
  const kind = kindOfEntry(path);
  if (kind === 'folder') return undefined;
  const message = kind === 'missing' ? `The folder ${path} does not exist.` : `${path} is not a folder.`;
  return { code, message, next: 'Create it, or choose another working folder with -C.' };
}
