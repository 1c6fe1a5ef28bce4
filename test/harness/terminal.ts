import { spawnSync } from 'node:child_process';

/** Whether this machine can run a program on a terminal that it makes for it. */
export const hasTerminals = spawnSync('bash', ['-c', 'script --version']).status === 0;

/** Words before a program that give it a terminal: for all that it reads and prints. */
export const onTerminal = ['bash', '-c', 'script -qec "$(printf "%q " "$@")" /dev/null', '_'] as const;
