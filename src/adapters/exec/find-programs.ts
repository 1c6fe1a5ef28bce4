import { findProgram, isSafeFolder, safeSearchPath } from '../../core/policy/environment/find-program.ts';
import type { Programs } from '../../ports/system.ts';
import { nodeProgramFiles } from '../disk/node-program-files.ts';

/** The tools of the system. The search path is not asked: a tool that stands elsewhere is not there. */
export const systemPrograms: Programs = {
  find: (name) => findProgram({ name, prefer: 'system', path: '', writable: [] }, nodeProgramFiles),
};

/** Programs that the user chose by name, and what they may find in their turn: nothing that commands could have written. */
export interface CallerPrograms extends Programs {
  /** For their variables. */
  searchPath(): string;
  isSafeFolder(folder: string): boolean;
}

/** Which folders commands may write is asked when something is looked for. */
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
