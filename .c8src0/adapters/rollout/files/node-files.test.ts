import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { systemPrograms } from '../../exec/find-programs.ts';
import { createFlock } from './file-locks.ts';
import { nodeFiles } from './node-files.ts';
import { createRolloutStore } from '../store/rollout-store.ts';

const clock = { now: Date.now, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-files-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('the disk of this machine', () => {
  test('appends, reads, cuts and syncs', async () => {
    const path = join(root, 'file');
    await expect(nodeFiles.open(path, { create: false, mode: 0o600 })).rejects.toMatchObject({ code: 'ENOENT' });
    const file = await nodeFiles.open(path, { create: true, mode: 0o600 });
    await file.append(Buffer.from('hello '));
    await file.append(Buffer.from('world'));
    await file.sync();
    expect(await file.size()).toBe(11);
    expect(Buffer.from(await file.read(6, 100)).toString()).toBe('world');
    expect((await file.read(11, 5)).length).toBe(0);
    await file.truncate(5);
    // At the end as it is now, not as it was.
    await file.append(Buffer.from('!'));
    await file.close();
    expect(await readFile(path, 'utf8')).toBe('hello!');
    await nodeFiles.syncDirectory(root);
    expect(await nodeFiles.list(root)).toContain('file');
  });

  test('lists nothing where no folder is', async () => {
    await writeFile(join(root, 'plain'), '');
    expect(await nodeFiles.list(join(root, 'missing'))).toEqual([]);
    expect(await nodeFiles.list(join(root, 'plain'))).toEqual([]);
  });
});

describe('a thread on a real disk', () => {
  const home = (): string => join(root, 'new', 'home');
  const store = () =>
    createRolloutStore({
      home: home(),
      files: nodeFiles,
      locks: createFlock({ clock, programs: systemPrograms }),
      clock,
    });

  test('belongs to its owner alone, and can be continued and read', async () => {
    const first = await store().create(id, { cwd: '/repo' });
    if (first.kind !== 'owned') throw new Error(first.message);
    const written = first.append([{ type: 'event_msg', payload: { text: 'é🙂' } }]);
    await first.durable();
    expect(await store().open(id)).toMatchObject({
      code: 'thread-locked',
      message: expect.stringContaining(`capstan pid ${process.pid} since 20`),
    });
    await first.close();

    expect(await mode(first.location)).toBe(0o600);
    for (let folder = dirname(first.location); folder !== root; folder = dirname(folder)) {
      expect([folder, await mode(folder)]).toEqual([folder, 0o700]);
    }
    expect(await mode(join(home(), 'thread-writer-locks'))).toBe(0o700);

    const second = await store().open(id);
    if (second.kind !== 'owned') throw new Error(second.message);
    const more = second.append([{ type: 'event_msg', payload: { text: 'more' } }]);
    await second.close();
    const lines = [];
    for await (const line of store().read(id, { from: 0 as Ordinal })) lines.push(line);
    expect(lines).toEqual([...written, ...more]);
  });

  test('does not change by being opened', async () => {
    const openAndClose = async (): Promise<string> => {
      const thread = await store().open(id);
      if (thread.kind !== 'owned') throw new Error(thread.message);
      await thread.close();
      return thread.location;
    };
    await utimes(await openAndClose(), 1_700_000_000, 1_700_000_000);
    expect((await stat(await openAndClose())).mtimeMs).toBe(1_700_000_000_000);
  });
});
