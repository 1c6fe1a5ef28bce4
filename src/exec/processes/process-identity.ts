import { execFile } from 'node:child_process';
import { processStart } from '../../disk/processes.ts';
import type { ProcessTable } from '../../ports/processes.ts';
import { systemPrograms } from './programs.ts';

/** When the process was started, in words of the system; undefined when there is none or the system does not say. */
export async function identifyProcess(pid: number, platform: string = process.platform): Promise<string | undefined> {
  return platform === 'linux' ? processStart(pid) : await fromProcessList(pid);
}

/** The system's own table of processes, where it can be read as files. */
export const processTable: ProcessTable = { startedAt: processStart };

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
