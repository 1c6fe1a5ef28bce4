import { basename, dirname, isAbsolute } from 'node:path';
import { temporaryFolders } from '../../policy/places.ts';
import type { Facts } from '../../envelope/facts.ts';
import { isWritableProgram } from '../../policy/find-program.ts';
import type { ProgramFiles } from '../../ports/program-files.ts';
import { fileSystem, kindOfEntry } from '../../disk/file-system.ts';

const usable = ['bash', 'zsh', 'sh'];

/**
 * The shell that runs commands: the user's own if it is one whose language the model can be expected to write, else bash,
 * else whatever the system calls `sh`. It also runs outside of the sandbox, to look at the user's variables, so one that
 * lies where commands may write is not taken. `roots`: where they may besides, in this run or in another one.
 */
export function findShell(
  env: Readonly<Record<string, string | undefined>>,
  {
    cwd,
    files,
    roots = [],
  }: { readonly cwd: string; readonly files: ProgramFiles; readonly roots?: readonly string[] },
): Facts['shell'] {
  const { SHELL: own } = env;
  const isOwn = own !== undefined && isAbsolute(own) && usable.includes(basename(own)) && isProgram(own);
  if (isOwn && !isOpen(own, [cwd, ...temporaryFolders(env), ...roots], files)) {
    return { name: basename(own), path: own };
  }
  return isProgram('/bin/bash') ? { name: 'bash', path: '/bin/bash' } : { name: 'sh', path: '/bin/sh' };
}

/** A command may write there, or another user may. */
function isOpen(program: string, writable: readonly string[], files: ProgramFiles): boolean {
  const place = files.program(program);
  if (place === undefined || isWritableProgram(program, writable, files)) return true;
  return [program, place].some((path) => files.isWritableByOthers(dirname(path)));
}

function isProgram(path: string): boolean {
  if (kindOfEntry(path) !== 'file') return false;
  try {
    fileSystem.accessSync(path, fileSystem.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
