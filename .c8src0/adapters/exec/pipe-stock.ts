import { makeAnonymousPipes, makeNamedPipes, type PipeEnds } from './pipes.ts';

export type PipeStock = () => Promise<PipeEnds | undefined>;
/** The first command should not wait for many; later turns should not ask often. */
const firstBatch = 3;
const laterBatch = 8;
const stocks = new Map<string, PipeStock>();

/** One per process, or per folder where pipes have names: each of many short-lived stocks would leave pipes behind. */
export function sharedPipeStock(runFolder: string): PipeStock {
  const key = process.platform === 'linux' ? '' : runFolder;
  const stock = stocks.get(key) ?? createPipeStock(runFolder);
  stocks.set(key, stock);
  return stock;
}

/**
 * Real pipes. Node's socket pairs have two faults: output of the two streams arrives in no particular order, and `echo
 * x > /dev/stderr` fails, because a socket cannot be opened by its name.
 */
function createPipeStock(runFolder: string): PipeStock {
  const make = (count: number): Promise<readonly PipeEnds[]> =>
    process.platform === 'linux' ? makeAnonymousPipes(count) : makeNamedPipes(runFolder, count);
  const stock: PipeEnds[] = [];
  let batch = firstBatch;
  let refill: Promise<'made' | 'failed'> | undefined;

  async function fill(): Promise<'made' | 'failed'> {
    try {
      stock.push(...(await make(batch)));
      batch = laterBatch;
      return 'made';
    } catch {
      return 'failed';
    } finally {
      refill = undefined;
    }
  }

  return async () => {
    // A failure, such as too few descriptors, may be over for the next command.
    while (stock.length === 0) if ((await (refill ??= fill())) === 'failed') return undefined;
    const taken = stock.pop();
    if (stock.length <= 1) refill ??= fill();
    return taken;
  };
}
