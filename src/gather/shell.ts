import { basename, isAbsolute } from 'node:path';
import type { Facts } from '../envelope/facts.ts';
import { fileSystem, kindOfEntry } from './file-system.ts';

const usable = ['bash', 'zsh', 'sh'];

/**
 * The shell that runs commands: the user's own if it is one whose language the model can be expected to write, else bash,
 * else whatever the system calls `sh`.
 */
export function findShell(env: Readonly<Record<string, string | undefined>>): Facts['shell'] {
  const { SHELL: own } = env;
  if (own !== undefined && isAbsolute(own) && usable.includes(basename(own)) && isProgram(own)) {
    return { name: basename(own), path: own };
  }
  return isProgram('/bin/bash') ? { name: 'bash', path: '/bin/bash' } : { name: 'sh', path: '/bin/sh' };
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
