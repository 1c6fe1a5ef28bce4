import { makeAnonymousPipes } from './anonymous-pipes.ts';
import { makeNamedPipes } from './named-pipes.ts';
import type { PipeEnds } from './pipe-ends.ts';

/** Gives a fresh pipe, or undefined where the system gives none. */
export type PipeStock = () => Promise<PipeEnds | undefined>;

/** The first command should not wait for many; a turn of many commands should not ask often. */
const firstBatch = 3;
const laterBatch = 8;

/**
 * Real pipes. Node gives children socket pairs, one per stream, which has two faults: output of the two streams
 * arrives in no particular order, and `echo x > /dev/stderr` fails, because a socket cannot be opened by its name.
 */
export function createPipeStock(runFolder: string): PipeStock {
  const make = (count: number): Promise<readonly PipeEnds[]> =>
    process.platform === 'linux' ? makeAnonymousPipes(count) : makeNamedPipes(runFolder, count);
  const stock: PipeEnds[] = [];
  let unavailable = false;
  let batch = firstBatch;
  let refill: Promise<void> | undefined;

  function start(): Promise<void> {
    refill ??= make(batch)
      .then((pipes) => {
        batch = laterBatch;
        return void stock.push(...pipes);
      })
      .catch(() => void (unavailable = true))
      .finally(() => (refill = undefined));
    return refill;
  }

  return async () => {
    while (stock.length === 0 && !unavailable) await start();
    const taken = stock.pop();
    // The next batch is made while commands run.
    if (stock.length <= 1 && !unavailable) void start();
    return taken;
  };
}
