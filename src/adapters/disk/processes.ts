import { join } from 'node:path';
import { errorCode, fileSystem, namesIn } from './file-system.ts';

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
  return signalProcess(pid, 0) && statOf(pid)?.isAlive !== false;
}

/**
 * When a process of Linux was started: ticks since the system came up, and which coming up that was. Undefined where there
 * is none; a process that is dead and not buried has ended.
 */
export function processStart(pid: number): string | undefined {
  const stat = statOf(pid);
  if (stat === undefined || !stat.isAlive) return undefined;
  try {
    bootId ??= readSmall('/proc/sys/kernel/random/boot_id').trim();
    return `${bootId} ${stat.ticks}`;
  } catch {
    return undefined;
  }
}

/**
 * Folders of a process of Linux that tell its variables and descriptors. Where its first thread has ended, the system
 * shows neither under the number of the process, only under those of its other threads.
 */
export function processFolders(pid: number): readonly string[] {
  const folder = `/proc/${pid}`;
  const stat = statOf(pid);
  const isHeadless = stat?.isAlive === true && isDeadState(stat.state);
  return isHeadless ? namesIn(`${folder}/task`).map((thread) => `${folder}/task/${thread}`) : [folder];
}

interface ProcessStat {
  /** Of the first thread alone. */
  readonly state: string;
  /** Of any thread. */
  readonly isAlive: boolean;
  readonly ticks: string;
}

/** Without one, there is no such process, or the system does not say. */
function statOf(pid: number): ProcessStat | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readStat(readSmall(`/proc/${pid}/stat`));
  } catch {
    return undefined;
  }
}

/** Reads `/proc/PID/stat`. A process whose first thread has ended has the state of a dead one while others still run. */
export function readStat(text: string): ProcessStat | undefined {
  // The second field is a name of any form, in parentheses; the state comes right after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, threads, ticks] = [fields[0], fields[17], fields[19]];
  if (state === undefined || ticks === undefined) return undefined;
  return { state, isAlive: !isDeadState(state) || Number(threads) > 1, ticks };
}

function isDeadState(state: string): boolean {
  return /^[ZXx]$/.test(state);
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
