import type { ProgramFiles } from '../../../ports/system.ts';
import { isWithin, joinPath, normalisePath, parentPath } from '../paths/absolute-paths.ts';

export interface ProgramSearch {
  readonly name: string;
  /** `system`: system folders before the search path. `caller`: only the search path. */
  readonly prefer: 'system' | 'caller';
  /** The caller's search path; empty for tools that come only from the system. */
  readonly path: string;
  /** Folders that commands may write to: the workspace, temporary folders, writable roots. */
  readonly writable: readonly string[];
}

/** Folders of standard system tools. A command that can write there owns the machine anyway. */
const systemFolders = '/usr/bin /bin /usr/sbin /sbin /run/current-system/sw/bin /run/current-system/profile/bin'.split(
  ' ',
);

/**
 * Locations of a program that the engine starts itself, best first, links followed. Skips programs that a command or
 * another user could have placed there, because they would run outside the sandbox, and empty or relative entries of
 * the search path.
 */
export const programCandidates = (search: ProgramSearch, files: ProgramFiles): readonly string[] => [
  ...new Set(candidates(search, files)),
];

export const findProgram = (search: ProgramSearch, files: ProgramFiles): string | undefined =>
  candidates(search, files).find(() => true);

function* candidates({ name, prefer, path, writable }: ProgramSearch, files: ProgramFiles): Generator<string> {
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
    if (places.every((place) => place !== undefined && !isOpen(place) && !files.isWritableByOthers(place)))
      yield program;
  }
}

const leastPath = '/usr/bin:/bin';

/** The search path for programs that the engine starts outside the sandbox, without what `findProgram` skips. */
export function safeSearchPath(
  { path, writable }: Pick<ProgramSearch, 'path' | 'writable'>,
  files: ProgramFiles,
): string {
  const safe = path.split(':').filter((entry) => isSafeFolder(entry, writable, files));
  return safe.length === 0 ? leastPath : safe.join(':');
}

/** True if neither a command nor another user can write to the folder, or one above it. */
export function isSafeFolder(folder: string, writable: readonly string[], files: ProgramFiles): boolean {
  const [spelled, place] = [normalisePath(folder), files.place(folder)];
  if (spelled === undefined || place === undefined || files.isWritableByOthers(place)) return false;
  return realRoots(writable, files).every((root) => !isWithin(spelled, root) && !isWithin(place, root));
}

/** True if a program that the user named by path is in, or links into, a folder that commands may write to. */
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

/** Both spellings of each root. The whole disk is left out: if all of it is writable, there is nothing to choose. */
export function realRoots(writable: readonly string[], files: Pick<ProgramFiles, 'place'>): readonly string[] {
  const spelled = writable.map(normalisePath).filter((root) => root !== undefined);
  const roots = spelled.flatMap((root) => [root, files.place(root)]);
  return [...new Set(roots)].filter((root): root is string => root !== undefined && root !== '/');
}
