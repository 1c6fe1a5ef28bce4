import { expect, test } from 'vitest';
import type { RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { createRolloutStore } from './rollout-store.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const other = '01a1dcd3-eee5-7d53-9563-000000000000' as ThreadId;
const draft = (text: string) => ({ type: 'event_msg', payload: { text } });
const end = 2 as Ordinal;

function storeOn(disk: SimulatedDisk, day: number): RolloutStore {
  const clock = { now: () => Date.parse('2026-11-15T10:00:00.000Z') + day * 86_400_000, sleep: async () => {} };
  return createRolloutStore({ home: '/data/home', files: disk, locks: disk.locks, clock });
}

/** A writer was killed before anything of its thread was safe, even the name. */
async function unsafeThread(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const thread = await storeOn(disk, 0).create(id, { id });
  if (thread.kind !== 'owned') throw new Error(thread.message);
  thread.append([draft('a'), draft('b'.repeat(70_000))]);
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  return disk.kill();
}

async function textsIn(disk: SimulatedDisk, thread: ThreadId): Promise<readonly unknown[]> {
  const texts: unknown[] = [];
  for await (const { payload } of storeOn(disk, 1).read(thread, { from: 0 as Ordinal })) texts.push(payload['text']);
  return texts;
}

test.each([0, 1])('a fork makes what it continues safe, name and all: %s days later', async (day) => {
  const disk = await unsafeThread();
  const store = storeOn(disk, day);
  const current = await store.current(id);
  if (current.kind !== 'current') throw new Error(current.message);
  const fork = await store.fork(other, { id: other }, { rolloutId: current.rolloutId, end });
  if (fork.kind !== 'owned') throw new Error(fork.message);
  fork.append([draft('c')]);
  await fork.close();
  expect(
    await textsIn(
      disk.crash(() => 0),
      other,
    ),
  ).toEqual([undefined, 'a', 'c']);
});

test.each([0.1, 1])('so does a revert: %s days later', async (day) => {
  const disk = await unsafeThread();
  const held = await storeOn(disk, day).hold(id);
  if (held.kind !== 'held') throw new Error(held.message);
  const to = { rolloutId: held.current.rolloutId, end };
  const rolloutId = '01a1dcd9-0000-7d53-9563-000000000001';
  expect(await held.revert({ rolloutId, to, note: {}, drafts: [draft('c')] })).toMatchObject({ kind: 'current' });
  await held.release();
  expect(
    await textsIn(
      disk.crash(() => 0),
      id,
    ),
  ).toEqual([undefined, 'a', 'c']);
});
