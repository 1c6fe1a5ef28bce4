import type { Permissions } from '../laws/permissions-reader.ts';

/** The access to a path that the text grants, for a reader who knows only the text. */
export function statedAccess(told: Permissions, path: string): 'read' | 'write' | 'deny' {
  if (told.mode === 'danger-full-access') return 'write';
  if (told.deniedGlobs.some((glob) => matches(glob, path, told.globDepth))) return 'deny';
  const listed = [
    ...told.writableRoots.map((at) => ({ at, access: 'write' }) as const),
    ...[...told.readOnlyPaths, ...told.readablePaths].map((at) => ({ at, access: 'read' }) as const),
    ...[...told.deniedPaths, ...told.ownPaths].map((at) => ({ at, access: 'deny' }) as const),
  ];
  const around = listed.filter(({ at }) => at === '/' || path === at || path.startsWith(`${at}/`));
  const innermost = around.toSorted((a, b) => b.at.length - a.at.length)[0];
  if (innermost === undefined) return told.readsEverything ? 'read' : 'deny';
  const isKept = innermost.access === 'write' && told.keptGlobs.some((glob) => isIn(glob, innermost.at, path));
  return isKept ? 'read' : innermost.access;
}

/** True if a pattern of this writable root, of those that keep names at any depth, matches the path. */
function isIn(glob: string, root: string, path: string): boolean {
  const start = root === '/' ? '/' : `${root}/`;
  return glob.startsWith(`${start}**/`) && path !== root && matches(glob, path, undefined);
}

/** A pattern has a path if it has the path or a folder above it, no deeper than `depth` names below its first wildcard. */
function matches(glob: string, path: string, depth: number | undefined): boolean {
  const names = path.split('/').slice(1);
  const fixed = glob.slice(0, glob.search(/[*?[{]/)).split('/').length - 2;
  return names.some((_, index) => {
    const count = index + 1;
    return (
      (depth === undefined || count - fixed <= depth) && expressionOf(glob).test(`/${names.slice(0, count).join('/')}`)
    );
  });
}

function expressionOf(glob: string): RegExp {
  const body = glob.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^$()|\\]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : `\\${part}`;
  });
  return new RegExp(`^${body}$`);
}
