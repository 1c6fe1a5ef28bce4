import { describe, expect, it } from 'vitest';
import type { Finished } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { hasTerminals } from '../harness/terminal.ts';
import { IndexHome, meta, turn, uuid } from './index-home.ts';

/** A terminal of 80 columns. */
const onTerminal = ['bash', '-c', 'script -qec "stty cols 80; exec $(printf "%q " "$@")" /dev/null', '_'];

/** So much that reading it takes longer than a line waits before it is shown. */
const many = 160;
const words = 'Look around and say what you see. '.repeat(1500);

async function manyThreads() {
  const { place } = await scene([]);
  const home = new IndexHome();
  for (let n = 1; n <= many; n++) {
    const id = uuid(n);
    home.write(id, [meta(id), ...turn('1', words), ...turn('2', words)]);
  }
  const env = { CAPSTAN_HOME: home.path, TERM: 'xterm' };
  const start = (...words: readonly string[]) => place.start(words, { prefix: onTerminal, env, input: 'open' });
  return { home, place, start, env };
}

/** What is left on the screen when all is over. */
function left({ stdout }: Finished): string {
  return stdout.replaceAll('\r\n', '\n').replaceAll(/[^\n]*\r\u001B\[K/g, '');
}

describe.runIf(hasTerminals)('work that takes long, on a terminal', () => {
  it('shows how far it is and leaves only what it did', async () => {
    const { start, place, env } = await manyThreads();
    const running = start('threads', 'reindex');
    const run = await running.finished;
    expect(run.stdout).toMatch(/Reading threads \[#+\.+\] \d+\/160/);
    expect([run.code, left(run)]).toEqual([0, 'Built the index anew: 160 threads.\n']);
    // In a pipe the same work shows nothing of it.
    const piped = await place.start(['threads', 'reindex'], { env }).finished;
    expect([piped.stdout, piped.stderr]).toEqual(['Built the index anew: 160 threads.\n', '']);
  }, 60_000);

  it('ends on Ctrl-C by the signal, with a clean line and an index that works', async () => {
    const { start, home } = await manyThreads();
    const running = start('threads', 'reindex');
    await running.printed('Reading threads [');
    running.child.stdin?.write('\u0003');
    const run = await running.finished;
    // A shell says 128 and the number of the signal.
    expect([run.code, left(run)]).toEqual([130, '']);
    expect(await home.listed({ limit: 1, sort: 'updated' })).toHaveLength(1);
    expect(await home.index.refresh({ anew: false })).toEqual({ threads: many });
  }, 60_000);
});
