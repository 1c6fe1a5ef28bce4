import type { FileSystemEntry, SpecialPath } from '../protocol/permission-profile.ts';
import { literalGlob, parseGlob } from './glob.ts';
import { descend, joinPath, normalisePath } from './paths.ts';
import type { Places } from './places.ts';
import { isSoundEntry } from './sound-entry.ts';

/** Written by other programs in front of a glob that belongs to every workspace root. */
export const workspaceGlobPrefix = 'codex-project-roots://';

/** `nothing`: a clear meaning and no target, as of an unset temporary folder. `malformed`: no clear meaning. */
export type Expanded =
  | { readonly kind: 'paths'; readonly paths: readonly string[] }
  | { readonly kind: 'globs'; readonly globs: readonly string[] }
  | { readonly kind: 'platform' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'malformed' };

const malformed: Expanded = { kind: 'malformed' };
const nothing: Expanded = { kind: 'nothing' };

export function expandEntry(entry: FileSystemEntry, places: Places): Expanded {
  if (!isSoundEntry(entry)) return malformed;
  const pattern = entry.path;
  switch (pattern.type) {
    case 'path':
      return toPaths([normalisePath(pattern.path)]);
    case 'glob_pattern':
      return entry.access === 'deny' ? toGlobs(pattern.pattern, places) : malformed;
    case 'special':
      return expandSpecial(pattern.value, places);
  }
}

/** The workspace roots, or the working folder when there are none. */
function rootsOf(places: Places): readonly string[] {
  return places.workspaceRoots.length > 0 ? places.workspaceRoots : [places.cwd];
}

function expandSpecial(special: SpecialPath, places: Places): Expanded {
  switch (special.kind) {
    case 'root':
      return toPaths(['/']);
    case 'minimal':
      return { kind: 'platform' };
    case 'project_roots':
      return toPaths(
        rootsOf(places)
          .map(normalisePath)
          .map((root) => (root === undefined ? root : descend(root, special.subpath ?? ''))),
      );
    case 'tmpdir': {
      // The whole disk is no temporary folder: a variable that says so must not open it.
      const path = normalisePath(places.temporaryDirectory || '/');
      return path === '/' ? nothing : toPaths([path]);
    }
    case 'slash_tmp':
      return places.slashTmp ? toPaths(['/tmp']) : nothing;
    default:
      return malformed;
  }
}

function toPaths(candidates: readonly (string | undefined)[]): Expanded {
  const paths = candidates.filter((path) => path !== undefined);
  return paths.length === candidates.length ? { kind: 'paths', paths } : malformed;
}

function toGlobs(pattern: string, places: Places): Expanded {
  const symbolic = pattern.startsWith(workspaceGlobPrefix);
  const relative = symbolic ? pattern.slice(workspaceGlobPrefix.length).replace(/^\/+/, '') : pattern;
  const folders = symbolic ? rootsOf(places) : [places.cwd];
  const globs = relative.startsWith('/')
    ? [relative]
    : folders.map((folder) => {
        const base = normalisePath(folder);
        return base === undefined ? relative : joinPath(literalGlob(base), relative);
      });
  // `..` has no meaning inside a pattern: the components before it may be wildcards.
  const sound = globs.every((glob) => parseGlob(glob) !== undefined && !glob.split('/').includes('..'));
  return sound ? { kind: 'globs', globs } : malformed;
}
