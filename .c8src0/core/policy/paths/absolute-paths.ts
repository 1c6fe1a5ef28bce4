/**
 * Path arithmetic on text, without disk access: the sandbox handles links, rules are about spellings. "Path" means
 * absolute, with single slashes, without `.` and `..`, and without a slash at the end.
 */

/** The path in normal form, or undefined if the text is not an absolute path. */
export function normalisePath(text: string): string | undefined {
  // The kernel ends a path at a NUL byte and would ignore the rest.
  if (!text.startsWith('/') || text.includes('\0')) return undefined;
  const kept: string[] = [];
  for (const name of pathNames(text)) {
    if (name === '..') kept.pop();
    else kept.push(name);
  }
  return `/${kept.join('/')}`;
}

/** All names in the text, including `..`. */
export const pathNames = (path: string): readonly string[] =>
  path.split('/').filter((part) => part !== '' && part !== '.');
const slash = '/'.charCodeAt(0);

/** True for the folder itself and everything below it, by whole components. */
export function isWithin(path: string, folder: string): boolean {
  // Called thousands of times at startup, so it builds no strings.
  return (
    path.startsWith(folder) &&
    (path.length === folder.length || folder === '/' || path.charCodeAt(folder.length) === slash)
  );
}

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

export const joinPath = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`);

/** A path below the folder, or undefined if the text would leave it. Empty text and `.` mean the folder itself. */
export function joinInside(folder: string, subpath: string): string | undefined {
  if (subpath.startsWith('/') || subpath.includes('\0')) return undefined;
  const parts = pathNames(subpath);
  return parts.includes('..') ? undefined : parts.reduce(joinPath, folder);
}

/** Shallow paths first, equal depths by name: narrower rules override wider ones in this order. */
export const compareByDepth = (a: string, b: string): number =>
  pathDepth(a) - pathDepth(b) || (a < b ? -1 : a > b ? 1 : 0);
