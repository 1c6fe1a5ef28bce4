import { nodeProgramFiles } from '../../disk/node-program-files.ts';

export interface ProgramProblem {
  readonly kind: 'not-started';
  readonly reason: string;
  /** What a shell would end with: 126 for a file that is no program, 127 for none. */
  readonly exitCode: 126 | 127;
}

/** Why a shell in that folder would not start the program. Looked up as a shell does it, with the command's own PATH. */
export function programProblem(
  name: string,
  { cwd, path = '/bin:/usr/bin' }: { readonly cwd: string; readonly path?: string | undefined },
): ProgramProblem | undefined {
  const folders = name.includes('/') ? [] : path.split(':').map((folder) => folder || '.');
  const places = name.includes('/') ? [name] : folders.map((folder) => `${folder}/${name}`);
  const files = places
    .map((place) => (place.startsWith('/') ? place : `${cwd}/${place}`))
    .filter((file) => nodeProgramFiles.place(file) !== undefined);
  if (files.some((file) => nodeProgramFiles.program(file) !== undefined)) return undefined;
  const shown = JSON.stringify(name);
  return files.length === 0
    ? { kind: 'not-started', reason: `The program ${shown} was not found.`, exitCode: 127 }
    : { kind: 'not-started', reason: `The program ${shown} is not executable.`, exitCode: 126 };
}
