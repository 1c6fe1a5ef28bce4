import { availableParallelism } from 'node:os';

/** Most suites wait for processes and disks as much as they compute: 221 s with two workers on two cores, 184 s with three. */
export const workers: number = Math.ceil(availableParallelism() * 1.5);
