import { findProgram, isSafeFolder, safeSearchPath } from '../../core/policy/environment/find-program.ts';
import type { ProgramFinder } from '../../ports/system.ts';
import { nodeProgramFiles } from '../disk/node-program-files.ts';

/** Tools of the system at fixed places; the search path is ignored. */
export const systemPrograms: ProgramFinder = {
  find: (name) => findProgram({ name, prefer: 'system', path: '', writable: [] }, nodeProgramFiles),
};

export type SearchPathPrograms = ReturnType<typeof searchPathPrograms>;
type Searched = { readonly path: string; readonly writable: () => readonly string[] };

/** Finds programs that the user chose by name, and a search path for them. Leaves out all that commands may write. */
export function searchPathPrograms({ path, writable }: Searched) {
  return {
    find: (name: string) => findProgram({ name, prefer: 'caller', path, writable: writable() }, nodeProgramFiles),
    searchPath: () => safeSearchPath({ path, writable: writable() }, nodeProgramFiles),
    isSafeFolder: (folder: string): boolean => isSafeFolder(folder, writable(), nodeProgramFiles),
  };
}
