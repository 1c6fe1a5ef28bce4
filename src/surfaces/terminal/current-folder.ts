import type { Outcome } from '../../protocol/outcome.ts';

/** The folder that the process was started in, unless it was removed. */
export function currentFolder(): { readonly path: string } | Outcome<'folder-missing'> {
  try {
    return { path: process.cwd() };
  } catch {
    return {
      code: 'folder-missing',
      message: 'The folder that capstan was started in no longer exists.',
      next: 'Change to a folder that exists and start again.',
    };
  }
}
