import { join } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import { isOverlong } from '../../disk/overlong-path.ts';
import { readTextIfPossible } from '../../disk/read-bounded.ts';
import { descend } from '../../policy/paths.ts';
import { readLimits } from '../files/read-limits.ts';

/** Each may take a mount. */
const most = 64;

/**
 * The folders that a repository's `.gitmodules` names and that exist. Git looks into them whenever it looks at the
 * repository, so what a command put there as `.git` would be obeyed even where no submodule was checked out.
 */
export function registeredSubmodules(repository: string): readonly string[] {
  const text = readTextIfPossible(join(repository, '.gitmodules'), { maxBytes: readLimits.configBytes }) ?? '';
  const folders = text.split('\n').flatMap((line) => {
    const [key = '', ...rest] = line.split('=');
    if (key.trim() !== 'path') return [];
    const path = descend(
      repository,
      rest
        .join('=')
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    );
    return path === undefined || path === repository ? [] : [path];
  });
  return [...new Set(folders)]
    .filter((folder) => !isOverlong(folder) && kindOfEntry(folder) === 'folder')
    .slice(0, most);
}
