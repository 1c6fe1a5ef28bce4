import { describe, expect, test } from 'vitest';
import type { HeldThread, RolloutPlace, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { type DiskOperation, SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { createRolloutStore } from './rollout-store.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const rolloutId = '01a1dcd4-0000-7000-8000-000000000001';
const clock = { now: () => Date.UTC(2026, 10, 15), sleep: () => Promise.resolve() };

function storeOn(disk: SimulatedDisk): RolloutStore {
  return createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock });
}

async function opened<Kind extends string, Value extends { readonly kind: string }>(
  value: Promise<Value>,
  kind: Kind,
): Promise<Extract<Value, { kind: Kind }>> {
  const answer = await value;
  if (answer.kind !== kind) throw new Error(JSON.stringify(answer));
  return answer as Extract<Value, { kind: Kind }>;
}

/** A thread of three words, the last of which was reverted and replaced. */
async function thread(disk: SimulatedDisk): Promise<void> {
  const store = storeOn(disk);
  const first = await opened(store.create(id, {}), 'owned');
  first.append(['a', 'b'].map((text) => ({ type: 'event_msg', payload: { text } })));
  await first.close();
  const held = await opened(store.hold(id), 'held');
  await held.revert({ rolloutId, to: { rolloutId: id, end: 2 as Ordinal }, note: {}, drafts: [] });
  await held.release();
  const second = await opened(store.open(id), 'owned');
  second.append([{ type: 'event_msg', payload: { text: 'c' } }]);
  await second.close();
}

/** The words of the thread, whether it is archived, and `gone` when there is none. */
async function seen(disk: SimulatedDisk): Promise<string> {
  const store = storeOn(disk);
  const current = await store.current(id);
  if (current.kind === 'refused') return current.code === 'thread-unknown' ? 'gone' : current.code;
  const words: unknown[] = [];
  for await (const { payload } of store.read(id, { from: 1 as Ordinal })) words.push(payload['text']);
  return `${current.archived ? 'archived ' : ''}${words.join('')}`;
}

const newest = '01a1dcd4-0000-7000-8000-000000000002';

function revertTo(to: RolloutPlace, ...texts: readonly string[]): (held: HeldThread) => Promise<unknown> {
  const drafts = texts.map((text) => ({ type: 'event_msg', payload: { text } }));
  return (held) => held.revert({ rolloutId: newest, to, note: {}, drafts });
}

const operations: Readonly<Record<string, { act: (held: HeldThread) => Promise<unknown>; after: string }>> = {
  revert: { act: revertTo({ rolloutId, end: 2 as Ordinal }), after: 'a' },
  undo: { act: revertTo({ rolloutId: id, end: 3 as Ordinal }), after: 'ab' },
  'a revert with lines of its own': {
    act: revertTo({ rolloutId, end: 2 as Ordinal }, 'd', 'e', 'f'),
    after: 'adef',
  },
  archive: { act: (held) => held.archive(), after: 'archived ac' },
};

describe.each(Object.entries(operations))('%s', (_name, { act, after }) => {
  test('is done or not done, whenever the power goes', async () => {
    const found = new Set<string>();
    for (let at = 0; ; at++) {
      let isOver = false;
      for (const luck of [0, 1, 0.5, 0.8]) {
        const disk = new SimulatedDisk();
        await thread(disk);
        const held = await opened(storeOn(disk).hold(id), 'held');
        let survivor: SimulatedDisk | undefined;
        let syncs = 0;
        disk.slow = async () => {
          if (syncs++ === at) survivor ??= disk.crash(({ most }) => Math.round(most * luck));
        };
        await act(held).catch(() => undefined);
        isOver = survivor === undefined;
        const what = await seen(survivor ?? disk);
        expect(['ac', after]).toContain(what);
        found.add(what);
        // And it can be done again.
        if (survivor === undefined || what === after) continue;
        const again = await opened(storeOn(survivor).hold(id), 'held');
        await act(again);
        expect(await seen(survivor)).toBe(after);
      }
      if (isOver) break;
    }
    expect(found).toEqual(new Set(['ac', after]));
  });

  test('is a fault and changes nothing, when the disk refuses any part of it', async () => {
    const parts: readonly DiskOperation[] = [
      'makeDirectory',
      'open',
      'append',
      'sync',
      'move',
      'link',
      'syncDirectory',
      'list',
    ];
    let faults = 0;
    for (const part of parts) {
      const disk = new SimulatedDisk();
      await thread(disk);
      const held = await opened(storeOn(disk).hold(id), 'held');
      disk.failNext(part, 'EACCES');
      const end = await act(held).catch((error: unknown) => error);
      await held.release();
      const fault = end instanceof Error ? end : undefined;
      if (fault !== undefined) faults += 1;
      expect([undefined, 'Fault']).toContain(fault?.name);
      // Another process has no failure waiting for it.
      expect(await seen(disk.kill())).toBe(fault === undefined ? after : 'ac');
    }
    expect(faults).toBeGreaterThan(3);
  });
});

describe('delete', () => {
  test('that the power cut short leaves nothing that could be mistaken for the thread, and can be repeated', async () => {
    for (let at = 0; at < 3; at++) {
      for (const luck of [0, 1]) {
        const disk = new SimulatedDisk();
        await thread(disk);
        const held = await opened(storeOn(disk).hold(id), 'held');
        let survivor: SimulatedDisk | undefined;
        let syncs = 0;
        disk.slow = async () => {
          if (syncs++ === at) survivor ??= disk.crash(() => luck);
        };
        await held.delete().catch(() => undefined);
        const left = survivor ?? disk;
        const what = await seen(left).catch((error: unknown) => (error as { code: string }).code);
        expect(['ac', 'thread-unreadable', 'gone']).toContain(what);
        if (what === 'gone') continue;
        const again = await opened(storeOn(left).hold(id), 'held');
        await again.delete();
        expect(await seen(left)).toBe('gone');
      }
    }
  });
});

describe('a file that vanishes while it is written', () => {
  test('is a fault, and the thread is gone rather than half there', async () => {
    const disk = new SimulatedDisk();
    const store = storeOn(disk);
    const owned = await opened(store.create(id, {}), 'owned');
    owned.append([{ type: 'event_msg', payload: { text: 'a' } }]);
    await owned.durable();
    await disk.remove(owned.location);
    owned.append([{ type: 'event_msg', payload: { text: 'b' } }]);
    await expect(owned.durable()).rejects.toMatchObject({
      name: 'Fault',
      code: 'disk-vanished',
      message: expect.stringContaining(owned.location),
    });
    await expect(owned.close()).rejects.toMatchObject({ code: 'disk-vanished' });
    expect(await store.open(id)).toMatchObject({ kind: 'refused', code: 'thread-unknown' });
  });
});
