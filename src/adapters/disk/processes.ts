import { join } from 'node:path';
import { errorCode, fileSystem, listFolderNames } from './file-system.ts';

/** Signals a process, or a group by a negative number. True if it exists, even if this user may not signal it. */
export function signalProcess(target: number, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** True also for a process of another user. A zombie is not alive. */
export const isAlive = (pid: number): boolean => signalProcess(pid, 0) && readProcessStat(pid)?.isAlive !== false;

/** When the process started: the boot's id and the ticks since then (Linux). Undefined if it is dead or a zombie. */
export function processStartTime(pid: number): string | undefined {
  const stat = readProcessStat(pid);
  if (stat === undefined || !stat.isAlive) return undefined;
  try {
    bootId ??= readSmall('/proc/sys/kernel/random/boot_id').trim();
    return `${bootId} ${stat.ticks}`;
  } catch {
    return undefined;
  }
}

let namespace: string | undefined;

/** Process ids are valid only in their own namespace. Empty if the system has none. */
export function processNamespace(): string {
  try {
    return (namespace ??= fileSystem.readlinkSync('/proc/self/ns/pid'));
  } catch {
    return '';
  }
}

/** Folders of `/proc` that show its variables and descriptors: those of its threads once the first has ended. */
export function procFolders(pid: number): readonly string[] {
  const folder = `/proc/${pid}`;
  const stat = readProcessStat(pid);
  const isHeadless = stat?.isAlive === true && isDeadState(stat.state);
  return isHeadless ? listFolderNames(`${folder}/task`).map((thread) => `${folder}/task/${thread}`) : [folder];
}

export interface ProcessStat {
  /** The process chooses it, so it may be any text. */
  readonly name: string;
  readonly group: string;
  /** State of the first thread alone. */
  readonly state: string;
  readonly isAlive: boolean;
  readonly ticks: string;
}

export function readProcessStat(pid: number): ProcessStat | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return parseProcessStat(readSmall(`/proc/${pid}/stat`));
  } catch {
    return undefined;
  }
}

/** Reads `/proc/PID/stat`. The state may be that of a dead process although other threads still run. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  // The second field is the name in parentheses; state, parent and group follow it.
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  const [state, group = '', threads, ticks] = [fields[0], fields[2], fields[17], fields[19]];
  if (state === undefined || ticks === undefined) return undefined;
  const name = text.slice(text.indexOf('(') + 1, nameEnd);
  return { name, group, state, isAlive: !isDeadState(state) || Number(threads) > 1, ticks };
}

const isDeadState = (state: string): boolean => /^[ZXx]$/.test(state);
let bootId: string | undefined;
/** Shared: Capstan identifies every command, and each new buffer would occupy memory until a full collection. */
const small = Buffer.allocUnsafeSlow(4096);

function readSmall(path: string): string {
  const file = fileSystem.openSync(path, 'r');
  try {
    return small.toString('latin1', 0, fileSystem.readSync(file, small, 0, small.length, 0));
  } finally {
    fileSystem.closeSync(file);
  }
}

/** Removes folders `PREFIX PID - …` of dead processes. No command may write the parent: it could put a link there. */
export function removeFoldersOfDeadProcesses(parent: string, prefix: string): void {
  for (const name of listFolderNames(parent)) {
    const process = name.startsWith(prefix) ? /^(\d+)-\w+$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (process === undefined || isAlive(Number(process))) continue;
    const folder = join(parent, name);
    try {
      const found = fileSystem.lstatSync(folder);
      if (found.isDirectory() && found.uid === globalThis.process.getuid?.())
        fileSystem.rmSync(folder, { recursive: true, force: true });
    } catch {
      // The next process tries again.
    }
  }
}
