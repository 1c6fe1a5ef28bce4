import { dirname } from 'node:path/posix';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import type { JournalDisk, OpenFile } from '../../../ports/files.ts';
import type { Owned, OpenRefused, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { type CrashChoice, SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { chooseThread } from './find-threads.ts';
import { compressThreads } from '../maintenance/compress-threads.ts';
import { createRolloutStore } from '../store/rollout-store.ts';
import { anyCharacter } from '../../../testing/test-inputs.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const child = '01a1dcd3-eee5-7d53-9563-000000000000' as ThreadId;
const clock = { now: () => Date.parse('2026-11-15T10:00:00.000Z'), sleep: async () => {} };
const path = `/home/sessions/2026/11/14/rollout-2026-11-14T23-30-01-${id}.jsonl`;
const meta = { id, cwd: '/repo' };
const localTime = () => ({ year: 2026, month: 11, day: 14, hour: 23, minute: 30, second: 1 });

function partsOn(disk: SimulatedDisk, files: JournalDisk = disk) {
  return { home: '/home', files, locks: disk.locks, clock, localTime };
}

function owned(result: Owned | OpenRefused): Owned {
  if (result.kind === 'refused') throw new Error(result.message);
  return result;
}

async function textsOf(store: RolloutStore, thread = id): Promise<readonly unknown[]> {
  const texts: unknown[] = [];
  for await (const { payload } of store.read(thread, { from: 0 as Ordinal })) texts.push(payload['text'] ?? 'meta');
  return texts;
}

/** A disk with one thread on it and no writer. */
async function coldThread(texts: readonly string[] = ['a', 'b']): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const thread = owned(await createRolloutStore(partsOn(disk)).create(id, meta));
  thread.append(texts.map((text) => ({ type: 'event_msg', payload: { text } })));
  await thread.close();
  return disk;
}

const compress = (disk: SimulatedDisk, files: JournalDisk = disk) =>
  compressThreads(partsOn(disk, files), { kind: 'thread', id }, { dryRun: false });
const filesOn = (disk: SimulatedDisk): readonly string[] =>
  [...disk.names().keys()].filter((name) => name.startsWith('/home/sessions/') && !name.endsWith('/'));

describe('a compressed thread', () => {
  test('is read, chosen and resumed as before; writing unpacks it, with its time and mode', async () => {
    const disk = await coldThread();
    const before = await disk.describe(path);
    const bytes = disk.contents(path);
    const report = await compress(disk);
    expect(report).toMatchObject({
      compressed: [{ thread: id, path: `${path}.zst`, from: bytes?.length }],
      skipped: [],
    });
    expect(filesOn(disk)).toEqual([`${path}.zst`]);
    const { size: _size, ...kept } = before!;
    expect(await disk.describe(`${path}.zst`)).toMatchObject(kept);

    const store = createRolloutStore(partsOn(disk));
    expect(await textsOf(store)).toEqual(['meta', 'a', 'b']);
    const backwards: unknown[] = [];
    for await (const { payload } of store.readBack(id)) backwards.push(payload['text']);
    expect(backwards).toEqual(['b', 'a', undefined]);
    expect(await store.current(id)).toMatchObject({ location: `${path}.zst`, meta });
    expect(await chooseThread(disk, '/home', { kind: 'last', cwd: '/repo' })).toEqual({ kind: 'chosen', id });

    const thread = owned(await store.open(id));
    expect(filesOn(disk)).toEqual([path]);
    expect(await disk.describe(path)).toEqual(before);
    thread.append([{ type: 'event_msg', payload: { text: 'c' } }]);
    await thread.close();
    expect(await textsOf(store)).toEqual(['meta', 'a', 'b', 'c']);
  });

  /** As `cat one.zst two.zst` makes one, or a program that compresses in parts. */
  const framesOf = (disk: SimulatedDisk): Buffer => {
    const lines = Buffer.from(disk.contents(path)!)
      .toString()
      .split(/(?<=\n)/);
    return Buffer.concat(lines.map((line) => zstdCompressSync(line)));
  };

  test('of several frames is read and resumed whole', async () => {
    const disk = await coldThread();
    const bytes = disk.contents(path);
    await put(disk, `${path}.zst`, framesOf(disk));
    await disk.remove(path);
    const store = createRolloutStore(partsOn(disk));
    expect(await textsOf(store)).toEqual(['meta', 'a', 'b']);
    const thread = owned(await store.open(id));
    expect([filesOn(disk), disk.contents(path)]).toEqual([[path], bytes]);
    thread.append([{ type: 'event_msg', payload: { text: 'c' } }]);
    await thread.close();
    expect(await textsOf(store)).toEqual(['meta', 'a', 'b', 'c']);
  });

  test('is kept as it is if its last frame is torn, or is none', async () => {
    const disk = await coldThread();
    const packed = framesOf(disk);
    await disk.remove(path);
    for (const bytes of [packed.subarray(0, -3), Buffer.concat([packed, Buffer.alloc(100)])]) {
      await disk.remove(`${path}.zst`);
      await put(disk, `${path}.zst`, bytes);
      await expect(createRolloutStore(partsOn(disk)).open(id)).rejects.toMatchObject({ code: 'thread-unreadable' });
      expect([filesOn(disk), disk.contents(`${path}.zst`)]).toEqual([[`${path}.zst`], Uint8Array.from(bytes)]);
    }
  });

  test('of any content comes back byte for byte', async () => {
    const texts = fc.array(fc.string({ unit: anyCharacter, maxLength: 3000 }), { maxLength: 30 });
    const law = async (said: readonly string[]): Promise<void> => {
      const disk = await coldThread(['first', ...said]);
      const bytes = disk.contents(path);
      await compress(disk);
      expect(await textsOf(createRolloutStore(partsOn(disk)))).toEqual(['meta', 'first', ...said]);
      await owned(await createRolloutStore(partsOn(disk)).open(id)).close();
      expect(disk.contents(path)).toEqual(bytes);
    };
    await fc.assert(fc.asyncProperty(texts, law), { numRuns: 8 * inject('runFactor') });
  });

  test('is unpacked when another continues from it, and not compressed again then', async () => {
    const disk = await coldThread();
    await compress(disk);
    const store = createRolloutStore(partsOn(disk));
    const fork = owned(await store.fork(child, { id: child }, { rolloutId: id, end: 2 as Ordinal }));
    fork.append([{ type: 'event_msg', payload: { text: 'mine' } }]);
    await fork.close();
    expect(filesOn(disk).filter((name) => name.endsWith('.zst'))).toEqual([]);
    expect(await textsOf(store, child)).toEqual(['meta', 'a', 'mine']);
    const report = await compressThreads(partsOn(disk), { kind: 'older', milliseconds: 0 }, { dryRun: false });
    expect(report).toMatchObject({
      compressed: [],
      skipped: expect.arrayContaining([
        { thread: id, path, why: 'another thread continues from it' },
        expect.objectContaining({ thread: child, why: 'it continues from another file' }),
      ]),
    });
  });

  test('reads also where a fork continues from it', async () => {
    const disk = await coldThread();
    const store = createRolloutStore(partsOn(disk));
    const fork = owned(await store.fork(child, { id: child }, { rolloutId: id, end: 2 as Ordinal }));
    fork.append([{ type: 'event_msg', payload: { text: 'mine' } }]);
    await fork.close();
    // As some other program may leave it.
    await put(disk, `${path}.zst`, zstdCompressSync(disk.contents(path)!));
    await disk.remove(path);
    expect(await textsOf(store, child)).toEqual(['meta', 'a', 'mine']);
  });

  test('loses to a plain file beside it, and goes with it', async () => {
    const disk = await coldThread();
    await put(disk, `${path}.zst`, zstdCompressSync('{"old":1}\n'));
    const store = createRolloutStore(partsOn(disk));
    expect(await textsOf(store)).toEqual(['meta', 'a', 'b']);
    const held = await store.hold(id);
    if (held.kind === 'refused') throw new Error(held.message);
    await held.delete();
    await held.release();
    expect(filesOn(disk)).toEqual([]);
  });
});

describe('compressing', () => {
  test('skips a thread that is being written', async () => {
    const disk = await coldThread();
    const thread = owned(await createRolloutStore(partsOn(disk)).open(id));
    expect(await compress(disk)).toMatchObject({
      compressed: [],
      skipped: [{ thread: id, path, why: 'the simulated writer is writing it' }],
    });
    await thread.close();
  });

  test('leaves a file alone that a program without locks writes to meanwhile', async () => {
    const disk = await coldThread();
    let done = false;
    const files = watched(disk, async () => {
      if (done || !filesOn(disk).some((name) => name.endsWith('.zst'))) return;
      done = true;
      await put(disk, path, Buffer.from('{"timestamp":"","type":"event_msg","payload":{"text":"late"}}\n'));
    });
    expect(await compress(disk, files)).toMatchObject({
      compressed: [],
      skipped: [{ why: 'it changed in the meantime' }],
    });
    expect(filesOn(disk)).toEqual([path]);
    expect(await textsOf(createRolloutStore(partsOn(disk)))).toEqual(['meta', 'a', 'b', 'late']);
  });

  test('on a full disk changes nothing', async () => {
    const disk = await coldThread(Array.from({ length: 100 }, (_, i) => `${i * i}`));
    const bytes = disk.contents(path);
    disk.capacity = bytes!.length + 20;
    await expect(compress(disk)).rejects.toMatchObject({ code: 'disk-full' });
    expect(filesOn(disk)).toEqual([path]);
    expect(disk.contents(path)).toEqual(bytes);
  });

  test('unpacking on a full disk changes nothing', async () => {
    const disk = await coldThread(Array.from({ length: 100 }, (_, i) => `${i * i}`));
    await compress(disk);
    const bytes = disk.contents(`${path}.zst`);
    disk.capacity = bytes!.length + 20;
    await expect(createRolloutStore(partsOn(disk)).open(id)).rejects.toMatchObject({ code: 'disk-full' });
    expect(filesOn(disk)).toEqual([`${path}.zst`]);
    expect(disk.contents(`${path}.zst`)).toEqual(bytes);
  });

  test('may be asked about before it is done', async () => {
    const disk = await coldThread();
    const report = await compressThreads(partsOn(disk), { kind: 'thread', id }, { dryRun: true });
    expect(report).toEqual({
      dryRun: true,
      compressed: [{ thread: id, path, from: disk.contents(path)?.length }],
      skipped: [],
    });
    expect(filesOn(disk)).toEqual([path]);
  });
});

describe('a process that dies after any step', () => {
  const ends: Readonly<Record<string, (disk: SimulatedDisk) => SimulatedDisk>> = {
    'by a kill': (disk) => disk.kill(),
    'by a power cut that takes all it can': (disk) => disk.crash(() => 0),
    'by a power cut that takes nothing': (disk) => disk.crash(({ most }) => most),
    'by a power cut that takes every other thing': (disk) => disk.crash(everyOther()),
  };

  const intact = { found: ['meta', 'a', 'b'], goneOn: ['meta', 'a', 'b', 'c'] };

  const all = Object.entries(ends);
  /** The fast tests try half of the ends for each. */
  const some = (rest: number) => (inject('runFactor') === 1 ? all.filter((_, index) => index % 2 === rest) : all);

  test.each(some(0))('of compressing loses nothing: %s', async (_name, end) => {
    const lives = await afterEachStep(
      () => coldThread(),
      end,
      (disk, files) => compress(disk, files),
    );
    expect(lives.length).toBeGreaterThan(10);
    expect(lives).toEqual(lives.map(() => intact));
  });

  test.each(some(1))('of unpacking loses nothing: %s', async (_name, end) => {
    const packed = async (): Promise<SimulatedDisk> => {
      const disk = await coldThread();
      await compress(disk);
      return disk;
    };
    const lives = await afterEachStep(packed, end, async (disk, files) => {
      await owned(await createRolloutStore(partsOn(disk, files)).open(id)).close();
    });
    expect(lives.length).toBeGreaterThan(10);
    expect(lives).toEqual(lives.map(() => intact));
  });
});

/** The lines after a process died, and after the next one has resumed the thread and compressed it again. */
interface Life {
  readonly found: readonly unknown[];
  readonly goneOn: readonly unknown[];
}

/** Runs the work again and again, each time with one more step before the end, until it gets through. */
async function afterEachStep(
  prepare: () => Promise<SimulatedDisk>,
  end: (disk: SimulatedDisk) => SimulatedDisk,
  work: (disk: SimulatedDisk, files: JournalDisk) => Promise<unknown>,
): Promise<readonly Life[]> {
  const lives: Life[] = [];
  for (;;) {
    const disk = await prepare();
    let after: SimulatedDisk | undefined;
    let left = lives.length;
    const files = watched(disk, async () => {
      if (left-- === 0) after = end(disk);
    });
    const failure = await work(disk, files).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (after === undefined && failure === undefined) return lives;
    if (after === undefined) throw failure;
    const store = createRolloutStore(partsOn(after));
    const found = await textsOf(store);
    const thread = owned(await store.open(id));
    thread.append([{ type: 'event_msg', payload: { text: 'c' } }]);
    await thread.close();
    await compress(after);
    lives.push({ found, goneOn: await textsOf(store) });
  }
}

function everyOther(): CrashChoice {
  let asked = 0;
  return ({ most }) => (asked++ % 2 === 0 ? most : 0);
}

/** The disk, with a callback that runs before each step. */
function watched(disk: SimulatedDisk, look: () => Promise<void>): JournalDisk {
  const watch = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(on, key) {
        const member: unknown = Reflect.get(on, key, on);
        if (typeof member !== 'function') return member;
        return async (...values: unknown[]): Promise<unknown> => {
          await look();
          const result: unknown = await member.apply(on, values);
          return String(key).startsWith('open') ? watch(result as OpenFile) : result;
        };
      },
    });
  return watch<JournalDisk>(disk);
}

async function put(disk: SimulatedDisk, at: string, bytes: Uint8Array): Promise<void> {
  await disk.makeDirectory(dirname(at), 0o700);
  const file = await disk.open(at, { create: true, mode: 0o600 });
  await file.append(bytes);
  await file.sync();
  await disk.syncDirectory(dirname(at));
}
