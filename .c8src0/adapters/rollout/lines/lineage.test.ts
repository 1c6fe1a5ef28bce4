import { describe, expect, test } from 'vitest';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { createRolloutStore } from '../store/rollout-store.ts';

const ids = ['1', '2', '3'].map((digit) => `01a1dcd3-eee5-7d53-9563-29880000000${digit}` as ThreadId);
const [parent, child, grandchild] = ids as [ThreadId, ThreadId, ThreadId];
const clock = { now: () => Date.UTC(2026, 10, 15), sleep: () => Promise.resolve() };

async function write(
  disk: SimulatedDisk,
  id: ThreadId,
  meta: JsonObject,
  ...texts: readonly string[]
): Promise<string> {
  const store = createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock });
  const owned = await store.create(id, meta);
  if (owned.kind === 'refused') throw new Error(owned.message);
  owned.append(texts.map((text) => ({ type: 'event_msg', payload: { text } })));
  await owned.close();
  return owned.location;
}

async function texts(disk: SimulatedDisk, id: ThreadId, from: number): Promise<readonly unknown[]> {
  const store = createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock });
  const found = [];
  for await (const { payload } of store.read(id, { from: from as Ordinal }))
    found.push(payload['text'] ?? payload['id']);
  return found;
}

function baseAt(disk: SimulatedDisk, path: string, lines: number, thread: ThreadId, ordinal: number): JsonObject {
  const text = Buffer.from(disk.contents(path) ?? []).toString();
  const end = text.split('\n').slice(0, lines).join('\n').length + 1;
  return { history_base: { thread_id: thread, end_ordinal_exclusive: ordinal, end_byte_offset: end } };
}

describe('a fork', () => {
  test('is read with what it continues from, over several files, up to each cut', async () => {
    const disk = new SimulatedDisk();
    const first = await write(disk, parent, {}, 'a', 'b', 'c');
    const second = await write(disk, child, baseAt(disk, first, 3, parent, 3), 'd', 'e');
    await write(disk, grandchild, baseAt(disk, second, 2, child, 5), 'f');
    expect(await texts(disk, grandchild, 0)).toEqual([grandchild, 'a', 'b', 'd', 'f']);
    expect(await texts(disk, grandchild, 2)).toEqual(['b', 'd', 'f']);
    const store = createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock });
    const back = [];
    for await (const { payload } of store.readBack(grandchild)) back.push(payload['text'] ?? payload['id']);
    expect(back).toEqual(['f', 'd', 'b', 'a', grandchild]);
    const owned = await store.open(grandchild);
    expect(owned.kind === 'owned' && owned.append([{ type: 'event_msg', payload: { text: 'g' } }])).toMatchObject([
      { ordinal: 7 },
    ]);
  });

  test('says which file is missing, and does not go round in circles', async () => {
    const disk = new SimulatedDisk();
    const base = (thread: ThreadId) => ({
      history_base: { thread_id: thread, end_ordinal_exclusive: 1, end_byte_offset: 1 },
    });
    await write(disk, parent, base(child), 'a');
    await expect(texts(disk, parent, 0)).rejects.toThrow(`continues from rollout ${child}`);
    await write(disk, grandchild, base(grandchild), 'b');
    await expect(texts(disk, grandchild, 0)).rejects.toThrow('loop');
    // A longer circle never has ordinals that fit.
    await write(disk, child, base(parent), 'b');
    await expect(texts(disk, parent, 0)).rejects.toThrow('has changed before that place');
  });

  test('before the first line of its source continues from what that continues from, or from nothing', async () => {
    const disk = new SimulatedDisk();
    const store = createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock });
    const first = await write(disk, parent, {}, 'a', 'b');
    const { history_base: base } = baseAt(disk, first, 2, parent, 2);
    await write(disk, child, { history_base: base ?? null }, 'c');
    const baseOf = async (rolloutId: ThreadId, end: number) => {
      const owned = await store.fork(grandchild, {}, { rolloutId, end: end as Ordinal });
      if (owned.kind === 'refused') throw new Error(owned.message);
      const [line] = owned.append([{ type: 'event_msg', payload: { text: 'x' } }]);
      await owned.close();
      await disk.remove(owned.location);
      return [line?.ordinal, line?.payload['history_base']];
    };
    expect(await baseOf(child, 3)).toEqual([2, base]);
    expect(await baseOf(child, 1)).toEqual([0, undefined]);
    expect(await baseOf(parent, 1)).toEqual([0, undefined]);
    expect(await baseOf(parent, 2)).toEqual([2, base]);
  });

  test('notices that the file it continues from was edited, is shorter, or has another form', async () => {
    const disk = new SimulatedDisk();
    const first = await write(disk, parent, {}, 'a', 'b', 'c');
    await write(disk, child, baseAt(disk, first, 3, parent, 3), 'd');
    const whole = Buffer.from(disk.contents(first) ?? []).toString();
    const rewrite = async (text: string): Promise<void> => {
      const file = await disk.open(first, { create: false, mode: 0o600 });
      await file.truncate(0);
      await file.append(Buffer.from(text));
    };
    await rewrite(whole.replace('"a"', '"aa"'));
    await expect(texts(disk, child, 0)).rejects.toThrow('has changed before that place');
    await rewrite(whole.replace('"ordinal":2', '"ordinal":7'));
    await expect(texts(disk, child, 0)).rejects.toThrow('has changed before that place');
    await rewrite(whole.slice(0, 300));
    await expect(texts(disk, child, 0)).rejects.toThrow('is shorter than it was');
    await rewrite(whole.replace('"paginated"', '"legacy"   '));
    await expect(texts(disk, child, 0)).rejects.toThrow('uses the old file format');
    await rewrite(whole);
    expect(await texts(disk, child, 0)).toEqual([child, 'a', 'b', 'd']);
  });
});
