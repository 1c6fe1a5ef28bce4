import { spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Both ends of a pipe, as descriptors that no other process has. */
export interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

export interface PipeStock {
  /** A fresh pipe, or undefined where the system gives none. */
  take(): Promise<PipeEnds | undefined>;
}

/** The first command should not wait for many; a turn of many commands should not ask often. */
const firstBatch = 8;
const laterBatch = 32;

/**
 * Real pipes. Node gives children socket pairs, one per stream, which has two faults: output of the two streams
 * arrives in no particular order, and `echo x > /dev/stderr` fails, because a socket cannot be opened by its name.
 * Node cannot make a pipe, but it can open a named one: `mkfifo` makes a batch, both ends of each are opened, and the
 * names are gone before anybody could use them.
 */
export function createPipeStock({ temporaryDirectory }: { readonly temporaryDirectory: string }): PipeStock {
  const stock: PipeEnds[] = [];
  let unavailable = false;
  let batch = firstBatch;
  let refill: Promise<void> | undefined;

  function start(): Promise<void> {
    refill ??= makePipes(temporaryDirectory, batch)
      .then((pipes) => {
        batch = laterBatch;
        return void stock.push(...pipes);
      })
      .catch(() => void (unavailable = true))
      .finally(() => (refill = undefined));
    return refill;
  }

  return {
    async take() {
      while (stock.length === 0 && !unavailable) await start();
      const taken = stock.pop();
      // The next batch is made while commands run.
      if (stock.length <= 1 && !unavailable) void start();
      return taken;
    },
  };
}

async function makePipes(temporaryDirectory: string, count: number): Promise<readonly PipeEnds[]> {
  const folder = mkdtempSync(join(temporaryDirectory, 'capstan-pipes-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // The process may end while the next batch is being made.
  process.once('exit', remove);
  try {
    const names = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    await makeNamedPipes(names);
    return names.map(openPipe);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function makeNamedPipes(names: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('mkfifo', ['-m', '600', ...names], { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
}

function openPipe(name: string): PipeEnds {
  // Opening the reader first, and without waiting, is what keeps both calls from blocking. The writer is opened
  // without that flag: children share it, and few programs expect a full stdout to refuse bytes.
  const readEnd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeEnd = openSync(name, constants.O_WRONLY);
    unlinkSync(name);
    return { readEnd, writeEnd };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}
