import { join } from 'node:path';
import { errorCode, fileSystem } from './file-system.ts';
import { namesIn } from './folders.ts';

/** Signals a process, or by a negative number a group. Whether there is one, one that is not ours to signal included. */
export function signalProcess(target: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Whether a process has the number, one of another user included. One that ended and was not waited for has only the number. */
export function isAlive(pid: number): boolean {
  return signalProcess(pid, 0) && !isZombie(pid);
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const about = fileSystem.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it is in parentheses, and may have some itself.
    return about.slice(about.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // Without it, the signal decides.
    return false;
  }
}

/**
 * Removes the folders `PREFIX PID - …` that processes of this user left behind when they were killed. Only for a parent
 * that no command may write: a folder that is swapped for a link while it is being removed would lead elsewhere.
 */
export function sweepFolders(parent: string, prefix: string): void {
  for (const name of namesIn(parent)) {
    const process = name.startsWith(prefix) ? /^(\d+)-\w+$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (process === undefined || isAlive(Number(process))) continue;
    const folder = join(parent, name);
    try {
      const found = fileSystem.lstatSync(folder);
      if (found.isDirectory() && found.uid === globalThis.process.getuid?.()) {
        fileSystem.rmSync(folder, { recursive: true, force: true });
      }
    } catch {
      // What cannot be removed now is tried again by the next process.
    }
  }
}
