import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import type { Owned, OpenRefused, Revert, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { LineDraft } from '../../../protocol/line.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { createBlobs, findBlobs } from '../store/blobs.ts';
import { withBlobs } from '../store/store-with-seals-and-blobs.ts';
import { removalGraceMs, removeUnreferenced } from './remove-unreferenced.ts';
import { createRolloutStore } from '../store/rollout-store.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const newer = '01a1dcd4-0000-7d53-9563-298808fb6396';
const start = Date.parse('2026-11-15T10:00:00.000Z');
const later = { now: () => start + 2 * removalGraceMs, sleep: async () => {} };
const clock = { now: () => start, sleep: async () => {} };

function storeOn(disk: SimulatedDisk): RolloutStore {
  let made = 0;
  const parts = { home: '/home', files: disk, locks: disk.locks, clock };
  const blobs = createBlobs({ ...parts, ids: { uuid: () => `id-${made++}` }, maxBytes: 1e9 });
  return withBlobs(createRolloutStore(parts), blobs);
}

function owned(result: Owned | OpenRefused): Owned {
  if (result.kind === 'refused') throw new Error(result.message);
  return result;
}

const output = (text: string): LineDraft => ({
  type: 'response_item',
  payload: { type: 'function_call_output', call_id: 'c', output: 'cut' },
  beside: { full_output: new TextEncoder().encode(text) },
});
const tools: LineDraft = {
  type: 'capstan_tool_set',
  payload: { name: 'a', tools: [{ type: 'function', description: 'x'.repeat(5000) }] },
};

/** A disk with a thread that refers to the outputs, in the order of their age. */
async function threadWith(...drafts: readonly LineDraft[]): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  const thread = owned(await storeOn(disk).create(id, { id }));
  const before = new Set<string>();
  for (const [i, draft] of drafts.entries()) {
    thread.append([draft]);
    await thread.durable();
    for (const { path, sha256 } of await findBlobs(disk, '/home')) {
      if (!before.has(sha256)) await disk.setFacts(path, { modified: start + i, mode: 0o600 });
      before.add(sha256);
    }
  }
  await thread.close();
  return disk;
}

const run = (disk: SimulatedDisk, options: Partial<Parameters<typeof removeUnreferenced>[0]> = {}) =>
  removeUnreferenced({
    home: '/home',
    files: disk,
    locks: disk.locks,
    clock: later,
    maxBlobBytes: 1e9,
    dryRun: false,
    reverted: false,
    ...options,
  });

const nothing = {
  dryRun: false,
  freedBytes: 0,
  snapshotBytes: 0,
  lockFiles: 0,
  temporaryFiles: 0,
  reverted: [],
  busy: [],
  unread: [],
};

async function put(disk: SimulatedDisk, path: string, text: string, modified = start): Promise<void> {
  await disk.makeDirectory(dirname(path), 0o700);
  const file = await disk.open(path, { create: true, mode: 0o600 });
  await file.append(Buffer.from(text));
  await disk.setFacts(path, { modified, mode: 0o600 });
}

describe('blobs', () => {
  test('that a line refers to stay, and others go when they are old enough', async () => {
    const disk = await threadWith(output('one'), tools);
    const kept = await findBlobs(disk, '/home');
    const keptBytes = kept.reduce((sum, { size }) => sum + size, 0);
    const [lost, young] = ['e'.repeat(62), 'f'.repeat(62)];
    await put(disk, `/home/capstan/blobs/00/${lost}.zst`, 'four');
    await put(disk, `/home/capstan/blobs/00/${young}.zst`, 'four', later.now() - 1);
    const blobs = { unreferred: 1, overBudget: [], freedBytes: 4, keptBytes: keptBytes + 4 };
    const dry = await run(disk, { dryRun: true });
    expect(dry).toEqual({ ...nothing, dryRun: true, freedBytes: 4, blobs });
    expect(await findBlobs(disk, '/home')).toHaveLength(4);
    expect(await run(disk)).toEqual({ ...nothing, freedBytes: 4, blobs });
    const left = (await findBlobs(disk, '/home')).map(({ sha256 }) => sha256);
    expect(left.toSorted()).toEqual([...kept.map(({ sha256 }) => sha256), `00${young}`].toSorted());
  });

  test('stay when a rollout cannot be read, because it is unknown what it refers to', async () => {
    const disk = await threadWith(output('one'));
    await put(disk, `/home/capstan/blobs/00/${'e'.repeat(62)}.zst`, 'four');
    const bad = `/home/sessions/2026/11/15/rollout-2026-11-15T10-00-00-${newer}.jsonl.zst`;
    await put(disk, bad, 'damaged');
    const collected = await run(disk);
    expect(collected).toMatchObject({ blobs: { unreferred: 0, freedBytes: 0 }, unread: [{ path: bad }] });
    expect(await findBlobs(disk, '/home')).toHaveLength(2);
  });

  test('over the budget: the oldest outputs go and are named, tool sets never', async () => {
    const disk = await threadWith(tools, output('one'), output('two'), output('three'));
    const found = (await findBlobs(disk, '/home')).toSorted((one, other) => one.used - other.used);
    const [, oldest] = found;
    const all = found.reduce((sum, { size }) => sum + size, 0);
    const { blobs } = await run(disk, { maxBlobBytes: all - 1 });
    expect(blobs).toEqual({
      unreferred: 0,
      overBudget: [{ sha256: oldest?.sha256, threads: [id] }],
      freedBytes: oldest?.size,
      keptBytes: all - oldest!.size,
    });
    expect((await run(disk, { maxBlobBytes: 0 })).blobs).toMatchObject({ keptBytes: found[0]?.size });
  });

  test('the collector of snapshots is given the trees of snapshots', async () => {
    const disk = await threadWith({
      type: 'capstan_snapshot',
      payload: { turn_id: 't', when: 'after', tree: 'abc', others: 'def' },
    });
    const asked: string[][] = [];
    const collectSnapshots = async (trees: ReadonlySet<string>) => {
      asked.push([...trees]);
      return { freedBytes: 7 };
    };
    expect(await run(disk, { collectSnapshots })).toMatchObject({ freedBytes: 7, snapshotBytes: 7 });
    expect(asked).toEqual([['abc', 'def']]);
  });
});

test('files that were never finished go, unless a process may be at work on them', async () => {
  const disk = await threadWith(output('one'));
  const folder = '/home/sessions/2026/11/15';
  await put(disk, `${folder}/rollout-x.jsonl.zst.tmp`, 'four');
  await put(disk, `${folder}/rollout-y.jsonl.tmp`, 'four', later.now() - 1);
  await put(disk, '/home/capstan/blobs/00/abc.zst.1.tmp', 'four');
  expect(await run(disk)).toMatchObject({ temporaryFiles: 2, freedBytes: 8 });
  expect([...disk.names().keys()].filter((name) => name.endsWith('.tmp'))).toEqual([`${folder}/rollout-y.jsonl.tmp`]);
});

test('lock files that no process holds go', async () => {
  const disk = await threadWith(output('one'));
  await put(disk, `/home/thread-writer-locks/${id}.lock`, '');
  await put(disk, `/home/thread-writer-locks/${newer}.lock`, '');
  const thread = owned(await storeOn(disk).open(id));
  expect(await run(disk)).toMatchObject({ lockFiles: 1 });
  expect(await disk.list('/home/thread-writer-locks')).toEqual([`${id}.lock`]);
  await thread.close();
});

describe('what a revert has put aside', () => {
  const revertTo = (rolloutId: string, end: number): Revert => {
    return { rolloutId, to: { rolloutId: id, end: end as Ordinal }, note: {}, drafts: [] };
  };

  /** A thread of four lines, taken back to its second. */
  async function reverted(): Promise<{ disk: SimulatedDisk; first: string; second: string }> {
    const disk = await threadWith(output('one'), output('two'), output('three'));
    const store = storeOn(disk);
    const held = await store.hold(id);
    if (held.kind === 'refused') throw new Error(held.message);
    const made = await held.revert(revertTo(newer, 2));
    await held.release();
    if (made.kind === 'refused') throw new Error(made.message);
    return { disk, first: held.current.location, second: made.location };
  }

  async function ordinals(disk: SimulatedDisk): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for await (const { ordinal, type } of storeOn(disk).read(id, { from: 0 as Ordinal })) found.push([ordinal, type]);
    return found;
  }

  test('stays unless it is asked for', async () => {
    const { disk, first } = await reverted();
    const bytes = disk.contents(first);
    expect(await run(disk)).toMatchObject({ reverted: [], blobs: { unreferred: 0 } });
    expect(disk.contents(first)).toEqual(bytes);
  });

  test('goes when it is asked for, with the blobs that only it refers to; the thread is as before', async () => {
    const { disk, first } = await reverted();
    const before = await ordinals(disk);
    const size = disk.contents(first)!.length;
    const dry = await run(disk, { reverted: true, dryRun: true });
    expect(disk.contents(first)).toHaveLength(size);
    const collected = await run(disk, { reverted: true });
    const left = disk.contents(first)!.length;
    expect(left).toBeLessThan(size);
    expect(collected.reverted).toEqual([{ thread: id, path: first, what: 'end', bytes: size - left }]);
    expect(dry.reverted).toEqual(collected.reverted);
    expect(collected.blobs.unreferred).toBe(2);
    expect(await ordinals(disk)).toEqual(before);
    expect(before).toHaveLength(2);
  });

  test('stays while the thread is being written', async () => {
    const { disk, first } = await reverted();
    const bytes = disk.contents(first);
    const thread = owned(await storeOn(disk).open(id));
    expect(await run(disk, { reverted: true })).toMatchObject({ reverted: [], busy: [id] });
    expect(disk.contents(first)).toEqual(bytes);
    await thread.close();
  });

  test('also goes with a file that nothing continues from', async () => {
    const { disk, first, second } = await reverted();
    const store = storeOn(disk);
    const held = await store.hold(id);
    if (held.kind === 'refused') throw new Error(held.message);
    const third = await held.revert(revertTo('01a1dcd5-0000-7d53-9563-298808fb6396', 3));
    await held.release();
    expect(third.kind).toBe('current');
    const collected = await run(disk, { reverted: true });
    expect(collected.reverted.map(({ path, what }) => [path, what])).toEqual([
      [second, 'file'],
      [first, 'end'],
    ]);
    expect(disk.contents(second)).toBeUndefined();
    expect(await ordinals(disk)).toHaveLength(3);
  });
});
