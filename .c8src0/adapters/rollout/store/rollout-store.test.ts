import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import type { Owned, OpenRefused, RolloutStore } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line, LineDraft } from '../../../protocol/line.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { createRolloutStore } from './rollout-store.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const other = '01a1dcd3-eee5-7d53-9563-000000000000' as ThreadId;
const now = Date.parse('2026-11-15T10:00:00.000Z');
const clock = { now: () => now, sleep: async () => {} };
const localTime = () => ({ year: 2026, month: 11, day: 14, hour: 23, minute: 30, second: 1 });
const name = `rollout-2026-11-14T23-30-01-${id}`;
const path = `/home/sessions/2026/11/14/${name}.jsonl`;
const draft = (text: string): LineDraft => ({ type: 'event_msg', payload: { text } });

function newStore(disk = new SimulatedDisk()): { disk: SimulatedDisk; store: RolloutStore } {
  return { disk, store: createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock, localTime }) };
}

function owned(result: Owned | OpenRefused): Owned {
  if (result.kind === 'refused') throw new Error(result.message);
  return result;
}

async function put(disk: SimulatedDisk, path: string, text: string): Promise<void> {
  await disk.makeDirectory(dirname(path), 0o700);
  const file = await disk.open(path, { create: true, mode: 0o600 });
  await file.append(Buffer.from(text));
}

const text = (disk: SimulatedDisk, path: string): string => Buffer.from(disk.contents(path) ?? []).toString();
const meta = `{"timestamp":"2026-11-15T09:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"${id}","history_mode":"paginated"}}\n`;
const line = (ordinal: number, text: string): string =>
  `{"timestamp":"2026-11-15T09:00:00.000Z","ordinal":${ordinal},"type":"event_msg","payload":{"text":"${text}"}}\n`;

async function collect(lines: AsyncIterable<Line>): Promise<unknown[]> {
  const texts: unknown[] = [];
  for await (const { payload } of lines) texts.push(payload['text'] ?? 'meta');
  return texts;
}

describe('creating a thread', () => {
  test('names the file by local time and writes it with the first line', async () => {
    const { disk, store } = newStore();
    const thread = owned(await store.create(id, { id, cwd: '/repo' }));
    expect(thread.location).toBe(path);
    expect(disk.contents(path)).toBeUndefined();
    thread.append([draft('a')]);
    await thread.close();
    expect(text(disk, path).split('\n')[0]).toBe(
      `{"timestamp":"2026-11-15T10:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"${id}","cwd":"/repo","history_mode":"paginated"}}`,
    );
  });

  test('counts on from the cut of the thread that it was forked from', async () => {
    const { store } = newStore();
    const thread = owned(await store.create(id, { history_base: { end_ordinal_exclusive: 23 } }));
    expect(thread.append([draft('a')])).toMatchObject([{ ordinal: 23 }, { ordinal: 24 }]);
    await thread.close();
    expect(owned(await store.open(id)).append([draft('b')])).toMatchObject([{ ordinal: 25 }]);
  });

  test('takes the writer lock', async () => {
    const { store } = newStore();
    const thread = owned(await store.create(id, {}));
    const expected = {
      kind: 'refused',
      code: 'thread-locked',
      message: expect.stringContaining('the simulated writer'),
    };
    expect(await store.create(id, {})).toMatchObject(expected);
    thread.append([draft('a')]);
    await thread.durable();
    expect(await store.open(id)).toMatchObject(expected);
    owned(await store.create(other, {}));
    await thread.close();
    owned(await store.open(id));
  });

  test('never writes into a file that is there', async () => {
    const { disk, store } = newStore();
    await put(disk, path, meta);
    const thread = owned(await store.create(id, {}));
    thread.append([draft('a')]);
    await expect(thread.durable()).rejects.toMatchObject({ code: 'thread-exists' });
    expect(text(disk, path)).toBe(meta);
  });

  test('under two names is a bug', async () => {
    await expect(newStore().store.create(id, { id: other })).rejects.toMatchObject({ code: 'thread-misnamed' });
  });
});

describe('opening a thread', () => {
  test('continues where the last writer stopped, not before its time', async () => {
    const { disk, store } = newStore();
    await put(disk, path, meta + line(1, 'a').replace('09:00', '11:00'));
    const before = text(disk, path);
    const thread = owned(await store.open(id));
    expect(thread.torn).toBeUndefined();
    expect(text(disk, path)).toBe(before);
    expect(thread.append([draft('b')])).toMatchObject([{ ordinal: 2, timestamp: '2026-11-15T11:00:00.000Z' }]);
    await thread.close();
    expect(await collect(store.read(id, { from: 0 as Ordinal }))).toEqual(['meta', 'a', 'b']);
  });

  test('mends the tail and reports how much was torn', async () => {
    const { disk, store } = newStore();
    await put(disk, path, `${meta}${line(1, 'a')}{"half`);
    const thread = owned(await store.open(id));
    expect(thread.torn).toEqual({ bytes: 6 });
    expect(text(disk, path)).toBe(meta + line(1, 'a'));
  });

  test('makes safe what a killed writer left in memory, its name included', async () => {
    const { disk, store } = newStore();
    await put(disk, path, meta + line(1, 'a'));
    const thread = owned(await store.open(id));
    await thread.durable();
    const after = disk.crash(() => 0);
    expect(text(after, path)).toBe(meta + line(1, 'a'));
  });

  test('of no thread is refused and leaves no lock file', async () => {
    const { disk, store } = newStore();
    expect(await store.open(id)).toMatchObject({ kind: 'refused', code: 'thread-unknown' });
    expect([...disk.names().keys()]).toEqual(['/']);
  });

  test('of an archived thread is refused with its place', async () => {
    const { disk, store } = newStore();
    await put(disk, `/home/archived_sessions/${name}.jsonl`, meta);
    const refusal = await store.open(id);
    expect(refusal).toMatchObject({
      code: 'thread-archived',
      message: expect.stringContaining('archived, in /home/arch'),
    });
    expect(await collect(store.read(id, { from: 0 as Ordinal }))).toEqual(['meta']);
  });

  test('whose compressed file is damaged fails with the next step, and holds no lock', async () => {
    const { disk, store } = newStore();
    await put(disk, `${path}.zst`, 'packed');
    const failure = { code: 'thread-unreadable', next: expect.stringContaining('zstd -dc') };
    await expect(store.open(id)).rejects.toMatchObject(failure);
    await expect(store.open(id)).rejects.toMatchObject(failure);
    expect([...disk.names().keys()].filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('in the old form continues in it: no ordinals, and the events of old for screens', async () => {
    const { disk, store } = newStore();
    const old = meta.replace('"ordinal":0,', '').replace(',"history_mode":"paginated"', '');
    await put(disk, path, `${old}{"half`);
    const thread = owned(await store.open(id));
    expect([thread.mode, thread.torn]).toEqual(['legacy', { bytes: 6 }]);
    const record = (item: JsonObject): LineDraft => ({
      type: 'event_msg',
      payload: { type: 'item_completed', thread_id: id, turn_id: 't', item },
    });
    const change = { '/a': { type: 'add', content: '' } };
    const lines = thread.append([
      draft('a'),
      record({
        type: 'UserMessage',
        id: '1',
        content: [
          { type: 'local_image', path: '/x.png' },
          { type: 'text', text: 'hello', text_elements: [] },
        ],
      }),
      record({ type: 'Reasoning', id: '2', summary_text: ['one', 'two'], raw_content: [] }),
      record({ type: 'AgentMessage', id: '3', content: [{ type: 'Text', text: 'hi' }], phase: 'final_answer' }),
      record({ type: 'CommandExecution', id: '4' }),
      record({ type: 'FileChange', id: '5', changes: change, status: 'completed' }),
      record({ type: 'Plan', id: '6', text: 'do' }),
    ]);
    await thread.close();
    const events = [
      { text: 'a' },
      { type: 'user_message', message: 'hello', images: [], local_images: ['/x.png'], text_elements: [] },
      { type: 'agent_reasoning', text: 'one' },
      { type: 'agent_reasoning', text: 'two' },
      { type: 'agent_message', message: 'hi', phase: 'final_answer', memory_citation: null },
      {
        type: 'patch_apply_end',
        call_id: '5',
        turn_id: 't',
        stdout: '',
        stderr: '',
        success: true,
        changes: change,
        status: 'completed',
      },
      { type: 'item_completed', thread_id: id, turn_id: 't', item: { type: 'Plan', id: '6', text: 'do' } },
    ];
    const stamped = events.map((payload) => ({ timestamp: '2026-11-15T10:00:00.000Z', type: 'event_msg', payload }));
    expect(lines).toEqual(stamped);
    expect(text(disk, path)).toBe(old + stamped.map((one) => `${JSON.stringify(one)}\n`).join(''));
  });

  test('takes the newest file in which something was saved', async () => {
    const { disk, store } = newStore();
    const revert = (moment: string): string =>
      path.replace('.jsonl', `_01a1dcd4-${moment}-7000-8000-000000000000.jsonl`);
    await put(disk, path, meta + line(1, 'a'));
    await put(disk, revert('0001'), meta + line(1, 'b'));
    await put(disk, revert('0002'), meta.slice(0, 50));
    await put(disk, revert('0003'), '');
    expect(await collect(store.readBack(id))).toEqual(['b', 'meta']);
    expect(owned(await store.open(id)).location).toBe(revert('0001'));
  });

  test('that the disk does not allow is a fault, and frees the lock', async () => {
    const { disk, store } = newStore();
    await put(disk, path, `${meta}{"half`);
    for (const operation of ['list', 'open', 'read', 'size', 'truncate'] as const) {
      disk.failNext(operation, 'EIO');
      await expect(store.open(id)).rejects.toMatchObject({ name: 'Fault', code: 'disk-failed' });
    }
    await owned(await store.open(id)).close();
  });

  test('to which nothing is added closes without a sync', async () => {
    const { disk, store } = newStore();
    await put(disk, path, meta + line(1, 'a'));
    const thread = owned(await store.open(id));
    disk.failNext('sync', 'EIO');
    await expect(thread.close()).resolves.toBeUndefined();
  });

  test.each(['sync', 'syncDirectory'] as const)(
    'that the disk does not make safe (%s) can be read, and nothing is built upon it',
    async (operation) => {
      const { disk, store } = newStore();
      await put(disk, path, meta + line(1, 'a'));
      disk.failNext(operation, 'EIO');
      const thread = owned(await store.open(id));
      expect(await collect(store.readBack(id))).toEqual(['a', 'meta']);
      thread.append([draft('b')]);
      await expect(thread.durable()).rejects.toMatchObject({ name: 'Fault', code: 'disk-failed' });
      await expect(thread.close()).rejects.toMatchObject({ code: 'disk-failed' });
      expect(text(disk, path)).toBe(meta + line(1, 'a'));
      await owned(await store.open(id)).close();
    },
  );
});

describe('reading a thread', () => {
  test('needs no lock and sees only whole lines', async () => {
    const { disk, store } = newStore();
    await put(disk, path, meta);
    const thread = owned(await store.open(id));
    thread.append([draft('a')]);
    await thread.durable();
    await put(disk, path, line(2, 'b').slice(0, 60));
    expect(await collect(store.read(id, { from: 0 as Ordinal }))).toEqual(['meta', 'a']);
    expect(await collect(store.read(id, { from: 1 as Ordinal }))).toEqual(['a']);
    expect(await collect(store.readBack(id))).toEqual(['a', 'meta']);
  });

  test('that does not exist, or that the disk refuses, is a fault', async () => {
    const { disk, store } = newStore();
    await expect(store.readBack(id).next()).rejects.toMatchObject({ code: 'thread-unknown' });
    await put(disk, path, meta);
    disk.failNext('read', 'EIO');
    await expect(store.read(id, { from: 0 as Ordinal }).next()).rejects.toMatchObject({ code: 'disk-failed' });
  });
});
