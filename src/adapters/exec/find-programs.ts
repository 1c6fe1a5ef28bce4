import { findProgram, isSafeFolder, safeSearchPath } from '../../core/policy/environment/find-program.ts';
import type { Programs } from '../../ports/system.ts';
import { nodeProgramFiles } from '../disk/node-program-files.ts';

/** Tools of the system at fixed places; the search path is ignored. */
export const systemPrograms: Programs = {
  find: (name) => findProgram({ name, prefer: 'system', path: '', writable: [] }, nodeProgramFiles),
};

/** Programs that the user chose by name, and those that these find: none that commands could have written. */
export interface CallerPrograms extends Programs {
  searchPath(): string;
  isSafeFolder(folder: string): boolean;
}

export function callerPrograms({
  path,
  writable,
}: {
  path: string;
  writable: () => readonly string[];
}): CallerPrograms {
  return {
    find: (name) => findProgram({ name, prefer: 'caller', path, writable: writable() }, nodeProgramFiles),
    searchPath: () => safeSearchPath({ path, writable: writable() }, nodeProgramFiles),
    isSafeFolder: (folder) => isSafeFolder(folder, writable(), nodeProgramFiles),
  };
}
