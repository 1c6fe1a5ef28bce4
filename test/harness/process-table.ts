import { readdirSync, readFileSync } from 'node:fs';

export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Words of the command line, with NUL between them. Empty for one that is dead and not buried. */
  readonly words: string;
}

/** All processes, on Linux. */
export function listProcesses(): readonly ListedProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      const parent = Number(readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
      return [{ pid: Number(name), parent, words }];
    } catch {
      // Gone in the meantime.
      return [];
    }
  });
}

/**
 * A duration for `sleep` that only this process uses: runs beside each other on one machine must not see or kill each
 * other's commands. All have one length, so that none is the beginning of another.
 */
export function ownSeconds(seconds: number): string {
  return `${seconds}.${String(process.pid).padStart(7, '0')}`;
}

/** Processes with this text in their command line. */
export function processesWith(text: string): readonly number[] {
  return listProcesses().flatMap(({ pid, words }) => (words.includes(text) ? [pid] : []));
}
