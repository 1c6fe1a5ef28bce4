import { arch, availableParallelism, loadavg, platform, totalmem } from 'node:os';

/** The machine of a run; its name stays out of it. */
export interface Machine {
  readonly date: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly architecture: string;
  /** Processes that wanted to run in the last minute, before the run began. */
  readonly load: number;
  readonly isBusy: boolean;
}

/** More than this many waiting processes per core make times longer than they are. */
const busyLoadPerCore = 0.25;

export function readMachine(now: Date): Machine {
  const cores = availableParallelism();
  const load = loadavg()[0] ?? 0;
  return {
    date: now.toISOString().slice(0, 10),
    cores,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: platform(),
    architecture: arch(),
    load,
    isBusy: load > cores * busyLoadPerCore,
  };
}
