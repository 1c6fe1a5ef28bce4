import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { WorkProgress } from '../../src/ports/thread-store.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import { StoredThreads } from '../../src/engine/store/stored-threads.ts';
import type { Finished } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { hasTerminals } from '../harness/terminal.ts';
import { IndexHome, lineText, meta, turn, uuid } from '../threads/index-home.ts';

/** A terminal of 80 columns. */
const onTerminal = ['bash', '-c', 'script -qec "stty cols 80; exec $(printf "%q " "$@")" /dev/null', '_'];

/** So much that reading it takes longer than a line waits before it is shown. */
const many = 160;
const words = 'Look around and say what you see. '.repeat(700);

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

/** The text left on the screen when all is over. */
function left({ stdout }: Finished): string {
  return stdout.replaceAll('\r\n', '\n').replaceAll(/[^\n]*\r\u001B\[K/g, '');
}

it('the engine reports how far each long work is', async () => {
  const { place } = await scene([]);
  const home = new IndexHome();
  for (const id of [uuid(1), uuid(2)]) home.write(id, [meta(id), ...turn('1', 'Look.')]);
  const stored = StoredThreads.in({ ...process.env, CAPSTAN_HOME: home.path }, place.root);
  if ('code' in stored) throw new Error(stored.message);
  const reportsOf = async (work: (progress: WorkProgress) => Promise<unknown>) => {
    const reports: (readonly [done: number | 'waiting', total?: number])[] = [];
    await work((done, total) => void reports.push(total === undefined ? [done] : [done, total]));
    return reports;
  };
  const brought = home.write(uuid(3), [meta(uuid(3)), ...turn('1', 'Come.')], { folder: 'elsewhere' });
  const first = Buffer.byteLength(lineText(meta(uuid(3)), 0)) - 1;
  expect({
    reindex: await reportsOf((progress) => stored.reindex({ anew: true }, progress)),
    read: await reportsOf((progress) => stored.read(uuid(1) as ThreadId, progress)),
    collect: await reportsOf((progress) => stored.collect({ dryRun: false, reverted: false }, progress)),
    importFile: await reportsOf((progress) => stored.importFile(brought, progress)),
    compress: await reportsOf((progress) =>
      stored.compress({ kind: 'older', milliseconds: 0 }, { dryRun: false }, progress),
    ),
  }).toEqual({
    reindex: [[2, 2]],
    read: [[1], [2], [3], [4], [5], [6]],
    collect: [
      [0, 2],
      [1, 2],
    ],
    importFile: [[first, statSync(brought).size]],
    compress: [
      [1, 3],
      [2, 3],
    ],
  });
});

describe.runIf(hasTerminals)('work that takes long, on a terminal', () => {
  it('shows how far it is and leaves only what it did', async () => {
    const { start, place, env } = await manyThreads();
    const running = start('threads', 'reindex');
    const run = await running.finished;
    expect(run.stdout).toMatch(/Reading threads \[#+\.+\] \d+\/160/);
    expect([run.code, left(run)]).toEqual([0, 'Rebuilt the index: 160 threads.\n']);
    // Work that is done at once, in a pipe.
    const piped = await place.start(['threads', 'reindex', '--changed'], { env }).finished;
    expect([piped.stdout, piped.stderr]).toEqual(['Updated the index: 160 threads.\n', '']);
  }, 60_000);

  it('counts the lines of a long thread that it shows', async () => {
    const { place } = await scene([]);
    const home = new IndexHome();
    const turns = Array.from({ length: 1500 }, (_, at) => turn(String(at), words.slice(0, 2000)));
    home.write(uuid(1), [meta(uuid(1)), ...turns.flat()]);
    const env = { CAPSTAN_HOME: home.path, TERM: 'xterm' };
    const run = await place.start(['threads', 'show', uuid(1)], { prefix: onTerminal, env }).finished;
    expect(run.stdout).toMatch(/Reading lines [\d,]+/);
    expect(left(run)).not.toContain('Reading lines');
    expect(left(run)).toContain('1500.');
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
