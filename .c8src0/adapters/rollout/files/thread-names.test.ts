import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../../protocol/ids.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { appendThreadName, threadNames } from './thread-names.ts';

const [one, two] = ['1', '2'].map((digit) => `01a1dcd3-eee5-7d53-9563-29880000000${digit}` as ThreadId) as [
  ThreadId,
  ThreadId,
];
const path = '/home/session_index.jsonl';

async function home() {
  const disk = new SimulatedDisk();
  await disk.makeDirectory('/home', 0o700);
  await disk.syncDirectory('/');
  let slept = 0;
  const clock = { now: () => Date.UTC(2026, 10, 15), sleep: async () => void slept++ };
  return { disk, parts: { files: disk, locks: disk.locks, clock, home: '/home' }, slept: () => slept };
}

describe('names of threads', () => {
  test('are lines at the end of the list; the newest counts, and an empty one takes the name away', async () => {
    const { disk, parts } = await home();
    for (const [id, name] of [
      [one, 'a'],
      [two, 'a'],
      [one, 'b "c"'],
      [two, ''],
    ] as const) {
      expect(await appendThreadName(parts, id, name)).toBeUndefined();
    }
    expect(await threadNames(disk, '/home')).toEqual(new Map([[one, 'b "c"']]));
    expect(
      Buffer.from(disk.contents(path) ?? [])
        .toString()
        .split('\n')[0],
    ).toBe(`{"id":"${one}","thread_name":"a","updated_at":"2026-11-15T00:00:00.000Z"}`);
    expect(
      await threadNames(
        disk.crash(() => 0),
        '/home',
      ),
    ).toEqual(new Map([[one, 'b "c"']]));
  });

  test('survive a torn line and one without an end', async () => {
    const { disk, parts } = await home();
    const file = await disk.open(path, { create: true, mode: 0o600 });
    await file.append(Buffer.from(`rubbish\n{"id":"${two}","thread_name":"whole"}`));
    await appendThreadName(parts, one, 'a');
    expect(await threadNames(disk, '/home')).toEqual(
      new Map([
        [two, 'whole'],
        [one, 'a'],
      ]),
    );
  });

  test('wait for the lock of the list, and not for ever', async () => {
    const { disk, parts, slept } = await home();
    const lock = await disk.locks.take(`${path}.lock`);
    expect(await appendThreadName(parts, one, 'a')).toMatchObject({ code: 'names-locked' });
    expect(slept()).toBe(20);
    if (lock.kind === 'lock') await lock.release();
    expect(await appendThreadName(parts, one, 'a')).toBeUndefined();
    expect(await threadNames(disk, '/home')).toEqual(new Map([[one, 'a']]));
  });

  test('that the disk does not take are a fault', async () => {
    const { disk, parts } = await home();
    disk.capacity = 0;
    await expect(appendThreadName(parts, one, 'a')).rejects.toMatchObject({ code: 'disk-full' });
  });
});
