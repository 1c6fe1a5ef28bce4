/**
 * Path arithmetic on text. Nothing here asks a disk: links are the sandbox's business, rules are about spellings.
 * "Path" means absolute, with single slashes, without `.` and `..`, and without a slash at the end.
 */

/** The path in normal form, or undefined when the text is no absolute path. */
export function normalisePath(text: string): string | undefined {
  // A NUL byte ends a path for the kernel, so the rest would be a lie.
  if (!text.startsWith('/') || text.includes('\0')) return undefined;
  const kept: string[] = [];
  for (const name of pathNames(text)) {
    if (name === '..') kept.pop();
    else kept.push(name);
  }
  return `/${kept.join('/')}`;
}

/** The names that a text leads through, `..` among them. */
export function pathNames(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

const slash = '/'.charCodeAt(0);

/** Whether the path is the folder itself or lies below it, by whole components. */
export function isWithin(path: string, folder: string): boolean {
  // Asked thousands of times at a start, so it makes no text.
  return (
    path.startsWith(folder) &&
    (path.length === folder.length || folder === '/' || path.charCodeAt(folder.length) === slash)
  );
}

/** How many components a path has: 0 for the root. */
export function pathDepth(path: string): number {
  if (path === '/') return 0;
  let depth = 0;
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) depth += 1;
  return depth;
}

export function parentPath(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
}

export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** A path below the folder, or undefined when the text would leave it. Empty text and `.` mean the folder itself. */
export function joinInside(folder: string, subpath: string): string | undefined {
  if (subpath.startsWith('/') || subpath.includes('\0')) return undefined;
  const parts = pathNames(subpath);
  return parts.includes('..') ? undefined : parts.reduce(joinPath, folder);
}

/** Shallow paths first, equal depths by name: the order in which narrower rules override wider ones. */
export function compareByDepth(a: string, b: string): number {
  return pathDepth(a) - pathDepth(b) || (a < b ? -1 : a > b ? 1 : 0);
}
