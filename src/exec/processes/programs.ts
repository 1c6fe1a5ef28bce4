import { findProgram } from '../../policy/find-program.ts';
import type { Programs } from '../../ports/program-files.ts';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';

/** The tools of the system. The search path is not asked: a tool that stands elsewhere is not there. */
export const systemPrograms: Programs = {
  find: (name) => findProgram({ name, prefer: 'system', path: '', writable: [] }, nodeProgramFiles),
};

export interface CallerPrograms {
  /** The caller's search path. */
  readonly path: string;
  /** Folders in which commands may write. Asked when a program is looked for. */
  readonly writable: () => readonly string[];
}

/** Programs that the user chose by name. */
export function callerPrograms({ path, writable }: CallerPrograms): Programs {
  return { find: (name) => findProgram({ name, prefer: 'caller', path, writable: writable() }, nodeProgramFiles) };
}
