import { spawnSync } from 'node:child_process';

/** True if this machine can run a program on a terminal that it makes for it. */
export const hasTerminals = spawnSync('bash', ['-c', 'script --version']).status === 0;

/** Words before a program that give it a terminal: for all that it reads and prints. */
export const onTerminal = ['bash', '-c', 'script -qec "$(printf "%q " "$@")" /dev/null', '_'] as const;

/**
 * Presses a key until the program ends. Keys that come in the first moment of a question are ignored, and on a busy
 * machine that moment lasts: pressing once may be too soon.
 */
export async function pressUntilOver<Ended>(press: () => unknown, finished: Promise<Ended>): Promise<Ended> {
  const again = setInterval(press, 400);
  return finished.finally(() => clearInterval(again));
}
