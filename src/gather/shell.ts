import { basename, isAbsolute } from 'node:path';
import type { Facts } from '../envelope/facts.ts';
import { isWritableProgram } from '../policy/find-program.ts';
import { fileSystem, kindOfEntry } from './file-system.ts';

const usable = ['bash', 'zsh', 'sh'];

/**
 * The shell that runs commands: the user's own if it is one whose language the model can be expected to write, else bash,
 * else whatever the system calls `sh`. It also runs outside of the sandbox, to look at the user's variables, so one that
 * lies where commands may write is not taken.
 */
export function findShell(env: Readonly<Record<string, string | undefined>>, cwd: string): Facts['shell'] {
  const { SHELL: own, TMPDIR: temporary = '' } = env;
  const isOwn = own !== undefined && isAbsolute(own) && usable.includes(basename(own)) && isProgram(own);
  if (isOwn && !isWritableProgram(own, [cwd, '/tmp', temporary], { place: realPath, program: realPath })) {
    return { name: basename(own), path: own };
  }
  return isProgram('/bin/bash') ? { name: 'bash', path: '/bin/bash' } : { name: 'sh', path: '/bin/sh' };
}

function realPath(path: string): string | undefined {
  try {
    return fileSystem.realpathSync(path);
  } catch {
    return undefined;
  }
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
