import { findProgram, type ProgramSearch } from '../policy/find-program.ts';
import type { Programs } from '../ports/program-files.ts';
import { nodeProgramFiles } from './node-program-files.ts';

/** The tools of the system. The search path is not asked: a tool that stands elsewhere is not there. */
export const systemPrograms: Programs = {
  find: (name) => findProgram({ name, prefer: 'system', path: '', writable: [] }, nodeProgramFiles),
};

/** Programs that the user chose by name, from the caller's search path. */
export function callerPrograms(search: Pick<ProgramSearch, 'path' | 'writable'>): Programs {
  return { find: (name) => findProgram({ ...search, name, prefer: 'caller' }, nodeProgramFiles) };
}
