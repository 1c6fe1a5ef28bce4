import { execFile } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import type { ProcessTable } from '../../ports/processes.ts';
import { systemPrograms } from './programs.ts';

/** When the process was started, in words of the system; undefined when there is none or the system does not say. */
export async function identifyProcess(pid: number, platform: string = process.platform): Promise<string | undefined> {
  return platform === 'linux' ? fromProcessTable(pid) : await fromProcessList(pid);
}

/** The system's own table of processes, where it can be read as files. */
export const processTable: ProcessTable = { startedAt: fromProcessTable };

/** Ticks since the system came up, and which coming up that was. A process that is dead and not buried has ended. */
function fromProcessTable(pid: number): string | undefined {
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
  const file = openSync(path, 'r');
  try {
    return small.toString('latin1', 0, readSync(file, small, 0, small.length, 0));
  } finally {
    closeSync(file);
  }
}

function fromProcessList(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const program = systemPrograms.find('ps') ?? '/bin/ps';
    const options = { env: { LC_ALL: 'C', TZ: 'UTC' } };
    execFile(program, ['-o', 'stat=,lstart=', '-p', String(pid)], options, (error, stdout) =>
      resolve(error === null ? readProcessList(stdout) : undefined),
    );
  });
}

/** The state in letters, then the date to the second. */
export function readProcessList(text: string): string | undefined {
  const found = /^(\S+)\s+(\S.*\S)\s*$/.exec(text.trim());
  return found === null || found[1]?.startsWith('Z') === true ? undefined : found[2];
}
