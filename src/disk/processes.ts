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
 * When a process of Linux was started: ticks since the system came up, and which coming up that was. Undefined where there
 * is none; a process that is dead and not buried has ended.
 */
export function processStart(pid: number): string | undefined {
  try {
    // The second field is a name of any form, in parentheses; the state comes right after it.
    const fields = readSmall(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    const [state, ticks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || ticks === undefined) return undefined;
    bootId ??= readSmall('/proc/sys/kernel/random/boot_id').trim();
    return `${bootId} ${ticks}`;
  } catch {
    return undefined;
  }
}

/** Stays the same for as long as the system is up, and so for as long as this process runs. */
let bootId: string | undefined;

/** Every command is identified: a buffer for each reading would be memory that stays until a full collection. */
const small = Buffer.allocUnsafeSlow(4096);

function readSmall(path: string): string {
  const file = fileSystem.openSync(path, 'r');
  try {
    return small.toString('latin1', 0, fileSystem.readSync(file, small, 0, small.length, 0));
  } finally {
    fileSystem.closeSync(file);
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
