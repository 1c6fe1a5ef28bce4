import type { ProgramFiles } from '../../../ports/system.ts';
import { isWithin, joinPath, normalisePath, parentPath } from '../paths/absolute-paths.ts';

export interface ProgramSearch {
  readonly name: string;
  /** `system`: the folders of the system come before the search path. `caller`: the search path alone. */
  readonly prefer: 'system' | 'caller';
  /** The caller's search path; empty for tools that are taken from the system or not at all. */
  readonly path: string;
  /** Folders in which commands may write: the workspace, temporary folders, writable roots. */
  readonly writable: readonly string[];
}

/** Where systems keep the tools that every system has. A command that can write there owns the machine anyway. */
const systemFolders = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/run/current-system/sw/bin',
  '/run/current-system/profile/bin',
];

/**
 * The places of a program that the engine starts itself, best first, links followed. A program that a command or
 * another user could have put there is skipped, because it would run outside of the sandbox; so is an entry of the
 * search path that is empty or relative.
 */
export function programCandidates(search: ProgramSearch, files: ProgramFiles): readonly string[] {
  return [...new Set(candidates(search, files))];
}

export function findProgram(search: ProgramSearch, files: ProgramFiles): string | undefined {
  return candidates(search, files).find(() => true);
}

function* candidates({ name, prefer, path, writable }: ProgramSearch, files: ProgramFiles): Generator<string> {
  // A text with a slash is a path, and there is nothing to search for.
  if (name === '' || name.includes('/') || name.includes('\0')) return;
  for (const folder of prefer === 'system' ? systemFolders : []) {
    const program = files.program(joinPath(folder, name));
    if (program !== undefined) yield program;
  }
  const roots = path === '' ? [] : realRoots(writable, files);
  const isOpen = (place: string): boolean => roots.some((root) => isWithin(place, root));
  for (const entry of path.split(':')) {
    const spelled = normalisePath(entry);
    const program = spelled === undefined || isOpen(spelled) ? undefined : files.program(joinPath(spelled, name));
    if (spelled === undefined || program === undefined) continue;
    const places = [files.place(spelled), parentPath(program)];
    if (places.every((place) => place !== undefined && !isOpen(place) && !files.isWritableByOthers(place))) {
      yield program;
    }
  }
}

/** Where a search finds something at all. */
const leastPath = '/usr/bin:/bin';

/** The search path for programs that the engine starts outside of the sandbox, without what `findProgram` skips. */
export function safeSearchPath(
  { path, writable }: Pick<ProgramSearch, 'path' | 'writable'>,
  files: ProgramFiles,
): string {
  const safe = path.split(':').filter((entry) => isSafeFolder(entry, writable, files));
  return safe.length === 0 ? leastPath : safe.join(':');
}

/** Whether neither a command nor another user can put something into the folder, or into one above it. */
export function isSafeFolder(folder: string, writable: readonly string[], files: ProgramFiles): boolean {
  const [spelled, place] = [normalisePath(folder), files.place(folder)];
  if (spelled === undefined || place === undefined || files.isWritableByOthers(place)) return false;
  return realRoots(writable, files).every((root) => !isWithin(spelled, root) && !isWithin(place, root));
}

/** Whether a program that the user named by its path lies in, or leads into, a folder that commands may write. */
export function isWritableProgram(
  program: string,
  writable: readonly string[],
  files: Pick<ProgramFiles, 'program' | 'place'>,
): boolean {
  const roots = realRoots(writable, files);
  return [normalisePath(program), files.program(program)].some(
    (place) => place !== undefined && roots.some((root) => isWithin(place, root)),
  );
}

/** Both spellings of each root. The whole disk is left out: where all of it may be written, there is nothing to choose. */
function realRoots(writable: readonly string[], files: Pick<ProgramFiles, 'place'>): readonly string[] {
  const spelled = writable.map(normalisePath).filter((root) => root !== undefined);
  const roots = spelled.flatMap((root) => [root, files.place(root)]);
  return [...new Set(roots)].filter((root): root is string => root !== undefined && root !== '/');
}
