import { once } from 'node:events';
import { systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import type { Ordinal, ThreadId } from '../../src/protocol/ids.ts';
import { createFlock } from '../../src/adapters/rollout/files/file-locks.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { createRolloutStore } from '../../src/adapters/rollout/store/rollout-store.ts';
import { keepCompiled, variablesWithCompiled } from './compiled-once.ts';

/** The ordinals that were promised and those that were kept when writers of one thread are killed one after another. */
export interface KillRun {
  /** Ordinals that writers reported after `durable`, in order. */
  readonly promised: readonly number[];
  /** Ordinals in the file, in file order. */
  readonly kept: readonly (Ordinal | undefined)[];
  readonly skipped: number;
}

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const clock = {
  now: Date.now,
  sleep: (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
};

const storeIn = (home: string): ReturnType<typeof createRolloutStore> =>
  createRolloutStore({ home, files: nodeFiles, locks: createFlock({ clock, programs: systemPrograms }), clock });

/** Writes as each writer does until it is killed: short and long lines, some of which it waits for. */
export async function writeForever(home: string, start: 'create' | 'open'): Promise<void> {
  keepCompiled();
  const store = storeIn(home);
  const thread = start === 'create' ? await store.create(id, {}) : await store.open(id);
  if (thread.kind === 'refused') throw new Error(thread.message);
  for (let round = 0; ; round += 1) {
    const sizes = [10, 3_000, round % 7 === 0 ? 300_000 : 100];
    const lines = thread.append(sizes.map((size) => ({ type: 'event_msg', payload: { text: 'é'.repeat(size) } })));
    const last = lines.at(-1)?.ordinal;
    await thread.durable();
    process.stdout.write(`${last}\n`);
    thread.append([{ type: 'event_msg', payload: { text: 'nobody waits for this' } }]);
  }
}

/** Starts a writer, lets it make its first promise, and kills it at some later moment. */
async function killOne(home: string, start: 'create' | 'open', afterMs: number): Promise<readonly number[]> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const script = `const { writeForever } = await import(${JSON.stringify(import.meta.url)});
    await writeForever(${JSON.stringify(home)}, ${JSON.stringify(start)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: variablesWithCompiled(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  const speaks = Promise.withResolvers<void>();
  child.stdout.on('data', (data) => {
    output += String(data);
    speaks.resolve();
  });
  child.stderr.on('data', (data) => (errors += String(data)));
  const closed = once(child, 'close');
  await Promise.race([speaks.promise, closed]);
  await clock.sleep(afterMs);
  child.kill('SIGKILL');
  await closed;
  if (errors !== '') throw new Error(errors);
  // The last number may be cut in the middle: then it was not told.
  return output.split('\n').slice(0, -1).map(Number);
}

export async function killWriters(options: { readonly home: string; readonly kills: number }): Promise<KillRun> {
  const { home, kills } = options;
  const promised: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    promised.push(...(await killOne(home, kill === 0 ? 'create' : 'open', Math.random() * 30)));
  }
  // Opening mends what the last one tore.
  const last = await storeIn(home).open(id);
  if (last.kind === 'refused') throw new Error(last.message);
  await last.close();
  const kept: (Ordinal | undefined)[] = [];
  const reading = storeIn(home).read(id, { from: 0 as Ordinal });
  for (;;) {
    const next = await reading.next();
    if (next.done === true) return { promised, kept, skipped: next.value.skipped };
    kept.push(next.value.ordinal);
  }
}
