import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Blobs, OpenRefused, Owned, ReadReport, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import type { Line, LineDraft } from '../../../protocol/line.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { blobPath, createBlobs } from './blobs.ts';
import { withBlobs } from './store-with-seals-and-blobs.ts';
import { createRolloutStore } from './rollout-store.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const clock = { now: () => Date.parse('2026-11-15T10:00:00.000Z'), sleep: async () => {} };

function storeOn(disk: SimulatedDisk, maxBytes = 1e9): { store: RolloutStore; blobs: Blobs } {
  let made = 0;
  const parts = { home: '/home', files: disk, locks: disk.locks, clock };
  const blobs = createBlobs({ ...parts, ids: { uuid: () => `id-${made++}` }, maxBytes });
  return { store: withBlobs(createRolloutStore(parts), blobs), blobs };
}

function owned(result: Owned | OpenRefused): Owned {
  if (result.kind === 'refused') throw new Error(result.message);
  return result;
}

async function readAll(store: RolloutStore): Promise<{ lines: readonly Line[]; report: ReadReport }> {
  const lines: Line[] = [];
  const reading = store.read(id, { from: 0 as Ordinal });
  for (;;) {
    const next = await reading.next();
    if (next.done === true) return { lines, report: next.value };
    lines.push(next.value);
  }
}

const large = [{ type: 'function', name: 'search', description: 'x'.repeat(5000) }];
const small = [{ type: 'function', name: 'look' }];
const toolSet = (name: string, tools: readonly JsonObject[]): LineDraft => ({
  type: 'capstan_tool_set',
  payload: { name, tools },
});
const output = (text: string): LineDraft => ({
  type: 'response_item',
  payload: { type: 'function_call_output', call_id: 'c', output: 'cut' },
  metadata: { capstan: { turn: 't', origin: { family: 'tool' } } },
  beside: { full_output: new TextEncoder().encode(text) },
});

function hashesOf(lines: readonly Line[]): readonly string[] {
  return [...JSON.stringify(lines).matchAll(/"sha256":"([0-9a-f]{64})"/g)].map(([, sha256]) => sha256!);
}

describe('tool sets', () => {
  const drafts = [
    toolSet('a', large),
    toolSet('b', small),
    { type: 'compacted', payload: { message: '', capstan: { turns: 1, tool_sets: { a: large, b: small } } } },
  ];

  test('are kept as blobs when they are large, and read back in their lines', async () => {
    const disk = new SimulatedDisk();
    const { store } = storeOn(disk);
    const thread = owned(await store.create(id, {}));
    const appended = thread.append(drafts);
    await thread.close();
    const bytes = Buffer.from(disk.contents(thread.location)!).toString();
    expect(bytes).not.toContain('xxxx');
    expect(bytes).toContain('"tools":[{"type":"function","name":"look"}]');
    const fresh = storeOn(disk).store;
    expect(await readAll(fresh)).toEqual({ lines: appended, report: { skipped: 0 } });
    expect(appended.slice(1).map(({ type, payload }) => ({ type, payload }))).toEqual(drafts);
    const files = [...disk.names()].filter(([name]) => name.startsWith('/home/capstan/') && !name.endsWith('/'));
    expect(files.map(([, mode]) => mode)).toEqual([0o600]);
  });

  test('that are gone are named, and what stands in lines is not affected', async () => {
    const disk = new SimulatedDisk();
    const { store } = storeOn(disk);
    const thread = owned(await store.create(id, {}));
    thread.append(drafts);
    await thread.close();
    const [sha256 = ''] = [
      ...Buffer.from(disk.contents(thread.location)!)
        .toString()
        .matchAll(/[0-9a-f]{64}/g),
    ].flat();
    await disk.remove(blobPath('/home', sha256));
    const { lines, report } = await readAll(storeOn(disk).store);
    expect(report).toEqual({ skipped: 0, missingBlobs: [sha256] });
    expect(lines.slice(1).map(({ payload }) => payload)).toEqual([
      { name: 'a', tools: undefined },
      { name: 'b', tools: small },
      { message: '', capstan: { turns: 1, tool_sets: { b: small } } },
    ]);
  });
});

describe('what stands beside a line', () => {
  test('is named in it and can be loaded, once for the same bytes', async () => {
    const disk = new SimulatedDisk();
    const { store, blobs } = storeOn(disk);
    const thread = owned(await store.create(id, {}));
    const [, first, second] = thread.append([output('all of it'), output('all of it')]);
    await thread.close();
    const [sha256 = ''] = hashesOf([first!]);
    const named = { turn: 't', origin: { family: 'tool' }, full_output: { sha256, bytes: 9 } };
    expect([first?.metadata, second?.metadata]).toEqual([{ capstan: named }, { capstan: named }]);
    expect(Object.keys(first!)).not.toContain('beside');
    const loaded = await blobs.load(sha256);
    expect(loaded.kind === 'blob' && Buffer.from(loaded.bytes).toString()).toBe('all of it');
    expect([...disk.names().keys()].filter((name) => name.endsWith('.zst'))).toHaveLength(1);
  });

  test('is left out, and the line says so, when the budget is used up', async () => {
    const disk = new SimulatedDisk();
    const { store, blobs } = storeOn(disk, 100);
    const thread = owned(await store.create(id, {}));
    const lines = thread.append([output('y'.repeat(101)), output('short')]).slice(1);
    await thread.close();
    const names = lines.map(
      ({ metadata }) => isJsonObject(metadata?.['capstan']) && metadata['capstan']['full_output'],
    );
    const [long = '', short = ''] = hashesOf(lines);
    expect(names).toEqual([
      { sha256: long, bytes: 101, kept: false },
      { sha256: short, bytes: 5 },
    ]);
    expect([(await blobs.load(long)).kind, (await blobs.load(short)).kind]).toEqual(['missing', 'blob']);
  });

  test('that the disk does not take ends the thread; opened again it continues', async () => {
    const disk = new SimulatedDisk();
    const { store } = storeOn(disk);
    const thread = owned(await store.create(id, {}));
    thread.append([{ type: 'event_msg', payload: { text: 'before' } }]);
    await thread.durable();
    disk.capacity = 300;
    thread.append([
      output(Array.from({ length: 900 }, (_, i) => String.fromCharCode(33 + ((i * i * 7) % 90))).join('')),
    ]);
    await expect(thread.durable()).rejects.toMatchObject({ code: 'disk-full' });
    await expect(thread.close()).rejects.toMatchObject({ code: 'disk-full' });
    disk.capacity = Number.POSITIVE_INFINITY;
    const again = owned(await store.open(id));
    again.append([output('all of it')]);
    await again.close();
    const { lines } = await readAll(store);
    expect(lines.at(-1)?.metadata).toMatchObject({ capstan: { full_output: { bytes: 9 } } });
    expect([...disk.names().keys()].filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('a blob that is not what its name says is reported', async () => {
    const disk = new SimulatedDisk();
    const { store, blobs } = storeOn(disk);
    const thread = owned(await store.create(id, {}));
    const [sha256 = ''] = hashesOf(thread.append([output('all of it')]));
    await thread.close();
    await (await disk.open(blobPath('/home', sha256), { create: false, mode: 0 })).truncate(5);
    expect(await blobs.load(sha256)).toMatchObject({ kind: 'missing', code: 'blob-damaged' });
  });
});

test('after any crash, everything that an acknowledged line refers to is there', async () => {
  const steps = fc.array(fc.oneof(fc.nat(5), fc.constant('durable' as const)), { maxLength: 12 });
  const shares = fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 1 });
  const law = async (plan: readonly (number | 'durable')[], left: readonly number[]): Promise<void> => {
    const disk = new SimulatedDisk();
    const { store } = storeOn(disk);
    const thread = owned(await store.create(id, {}));
    const appended: Line[] = [];
    let acknowledged: readonly Line[] = [];
    for (const step of plan) {
      if (step === 'durable') {
        const lines = [...appended];
        await thread.durable();
        acknowledged = lines;
      } else {
        const draft = step < 3 ? output(`${step}`.repeat(50)) : toolSet(`${step}`, [{ ...large[0], name: `${step}` }]);
        appended.push(...thread.append([draft]));
      }
    }
    let asked = 0;
    const after = disk.crash(({ most }) => Math.floor((left[asked++ % left.length] ?? 0) * most));
    if (acknowledged.length === 0) return;
    const fresh = storeOn(after);
    const { lines } = await readAll(fresh.store);
    expect(lines.slice(0, acknowledged.length)).toEqual(acknowledged);
    for (const sha256 of hashesOf(acknowledged)) expect((await fresh.blobs.load(sha256)).kind).toBe('blob');
  };
  await fc.assert(fc.asyncProperty(steps, shares, law), { numRuns: 100 });
});

test('a thread to which nothing is added closes without a sync', async () => {
  const disk = new SimulatedDisk();
  const { store } = storeOn(disk);
  const thread = owned(await store.create(id, {}));
  thread.append([toolSet('b', small)]);
  await thread.close();
  const again = owned(await store.open(id));
  disk.failNext('sync', 'EIO');
  await expect(again.close()).resolves.toBeUndefined();
});
