import { dirname } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import type { ThreadId } from '../../../protocol/ids.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { findRolloutFile, findRollouts } from './find-threads.ts';

/** A version 7 id of the given moment. */
function idOf(moment: string, tail: number): ThreadId {
  const time = Date.parse(moment).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(tail).padStart(12, '0')}` as ThreadId;
}

const id = idOf('2026-11-15T12:00:00Z', 1);
const stranger = idOf('2026-11-15T12:00:00Z', 2);

async function found(paths: readonly string[], wanted: ThreadId = id) {
  const disk = new SimulatedDisk();
  for (const path of paths) {
    await disk.makeDirectory(dirname(`/home/${path}`), 0o700);
    await disk.open(`/home/${path}`, { create: true, mode: 0o600 });
  }
  const { kind, rollouts } = await findRollouts(disk, '/home', wanted);
  return { kind, paths: rollouts.map(({ path }) => path.slice('/home/'.length)) };
}

const day = 'sessions/2026/11/15';

describe('finding the rollouts of a thread', () => {
  test('looks into the day folders and at the id only', async () => {
    const path = `${day}/rollout-2026-11-15T12-00-00-${id}.jsonl`;
    const noise = [
      `${day}/rollout-2026-11-15T12-00-00-${stranger}.jsonl`,
      `${day}/rollout-2026-11-15T12-00-00-${stranger}_${id}.jsonl`,
      `${day}/notes-${id}.txt`,
      'sessions/2026/11/readme',
      'sessions/old/11/15/x',
    ];
    expect(await found([...noise, path])).toEqual({ kind: 'active', paths: [path] });
    expect(await found(noise)).toEqual({ kind: 'none', paths: [] });
    expect(await found([])).toEqual({ kind: 'none', paths: [] });
  });

  test('puts the newest first, whatever clock the names were made by', async () => {
    const first = `${day}/rollout-2026-11-15T23-00-00-${id}.jsonl`;
    const reverted = `sessions/2026/11/16/rollout-2026-11-16T09-00-00-${id}_${idOf('2026-11-16T08:00:00Z', 3)}.jsonl`;
    // Made last of all, after a flight to the west.
    const again = `${day}/rollout-2026-11-15T22-30-00-${id}_${idOf('2026-11-16T08:30:00Z', 4)}.jsonl`;
    const paths = [again, reverted, first];
    expect(await found([first, reverted, again])).toEqual({ kind: 'active', paths });
  });

  test('takes the name where ids hold no time', async () => {
    const plain = '11111111-2222-4333-8444-555555555555' as ThreadId;
    const older = `sessions/2025/01/02/rollout-2025-01-02T00-00-00-${plain}.jsonl`;
    const newer = `sessions/2025/01/02/rollout-2025-01-02T00-00-01-${plain}.jsonl`;
    expect(await found([older, newer], plain)).toEqual({ kind: 'active', paths: [newer, older] });
  });

  test('finds a file that is older than its id says', async () => {
    const path = `sessions/2020/01/01/rollout-2020-01-01T00-00-00-${id}.jsonl`;
    expect(await found([path])).toEqual({ kind: 'active', paths: [path] });
  });

  test('hides a compressed file behind its plain form', async () => {
    const path = `${day}/rollout-2026-11-15T12-00-00-${id}.jsonl`;
    expect(await found([`${path}.zst`, path])).toEqual({ kind: 'active', paths: [path] });
    expect(await found([`${path}.zst`])).toEqual({ kind: 'active', paths: [`${path}.zst`] });
  });

  test('looks into the archive last', async () => {
    const archived = `archived_sessions/rollout-2026-11-15T12-00-00-${id}.jsonl`;
    const active = `${day}/rollout-2026-11-15T12-00-00-${id}.jsonl`;
    expect(await found([archived])).toEqual({ kind: 'archived', paths: [archived] });
    expect(await found([archived, active])).toEqual({ kind: 'active', paths: [active] });
  });
});

describe('finding the file of a rollout', () => {
  test('lists the days around its id and no others, unless it is elsewhere', async () => {
    const disk = new SimulatedDisk();
    const put = async (path: string): Promise<void> => {
      await disk.makeDirectory(dirname(`/home/${path}`), 0o700);
      await disk.open(`/home/${path}`, { create: true, mode: 0o600 });
    };
    await put('sessions/2025/01/01/x');
    const near = `${day}/rollout-2026-11-15T12-00-00-${stranger}_${id}.jsonl`;
    await put(near);
    const listed: string[] = [];
    const files = Object.assign(Object.create(disk) as SimulatedDisk, {
      list: (path: string) => {
        listed.push(path.slice('/home/'.length));
        return disk.list(path);
      },
    });
    expect((await findRolloutFile(files, '/home', id))?.path).toBe(`/home/${near}`);
    expect(listed).toEqual(['sessions/2026/11/14', 'sessions/2026/11/15', 'sessions/2026/11/16']);
    await disk.move(`/home/${near}`, '/home/sessions/2025/01/01/' + near.slice(day.length + 1));
    expect((await findRolloutFile(disk, '/home', id))?.path).toContain('/sessions/2025/01/01/');
    expect(await findRolloutFile(disk, '/home', idOf('2026-11-15T12:00:00Z', 3))).toBeUndefined();
  });
});
