import { readFileSync } from 'node:fs';

/** The resources that a process has used so far: itself and its threads, not its children. */
export interface ProcessUsage {
  /** The most physical memory it has held at once. */
  readonly peakBytes: number;
  /** In user and in kernel mode. */
  readonly cpuSeconds: number;
}

/** Linux counts processor time of processes in hundredths of a second, whatever its own timer does. */
const ticksPerSecond = 100;

export function loadUsage(pid: number): ProcessUsage {
  return {
    peakBytes: peakBytesIn(readFileSync(`/proc/${pid}/status`, 'utf8')),
    cpuSeconds: cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8')),
  };
}

export function peakBytesIn(status: string): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error('The system does not tell the peak memory of a process.');
  return Number(kibibytes) * 1024;
}

export function cpuSecondsIn(stat: string): number {
  // The name of the program stands in parentheses and may hold anything; the fields after it are plain.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields[11], fields[12]].map(Number);
  return ((user ?? 0) + (system ?? 0)) / ticksPerSecond;
}
