import { cleanLine } from './clean.ts';
import type { Look } from './look.ts';

/** A path for people: relative where it lies in the folder of the thread, with `~` where it lies in their home. */
export function shownPath(path: string, { cwd, home }: Pick<Look, 'cwd' | 'home'>): string {
  const inside = within(path, cwd);
  if (inside !== undefined) return cleanLine(inside === '' ? '.' : inside);
  const atHome = within(path, home);
  return cleanLine(atHome === undefined ? path : atHome === '' ? '~' : `~/${atHome}`);
}

/** The rest of a path behind a folder. Undefined: it lies elsewhere. */
function within(path: string, folder: string): string | undefined {
  if (folder === '' || folder === '/') return undefined;
  if (path === folder) return '';
  const isBelow = path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
  return isBelow ? path.slice(folder.length + 1) : undefined;
}
