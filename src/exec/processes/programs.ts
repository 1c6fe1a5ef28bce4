import { findProgram } from '../../policy/find-program.ts';
import type { Programs } from '../../ports/program-files.ts';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';

/** The tools of the system. The search path is not asked: a tool that stands elsewhere is not there. */
export const systemPrograms: Programs = {
  find: (name) => findProgram({ name, prefer: 'system', path: '', writable: [] }, nodeProgramFiles),
};

/** Programs that the user chose by name. Which folders commands may write is asked when one is looked for. */
export function callerPrograms({ path, writable }: { path: string; writable: () => readonly string[] }): Programs {
  return { find: (name) => findProgram({ name, prefer: 'caller', path, writable: writable() }, nodeProgramFiles) };
}
