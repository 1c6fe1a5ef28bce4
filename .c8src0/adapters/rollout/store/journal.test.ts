import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import type { Owned } from '../../../ports/thread-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { LineDraft } from '../../../protocol/line.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { createRolloutStore } from './rollout-store.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396' as ThreadId;
const draft = (text: string): LineDraft => ({ type: 'event_msg', payload: { text } });
const start = Date.parse('2026-11-15T10:00:00.000Z');

async function newThread(times: readonly number[] = []) {
  const disk = new SimulatedDisk();
  const rest = [...times];
  const clock = { now: () => start + (rest.shift() ?? 0), sleep: async () => {} };
  const store = createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock });
  const journal = await store.create(id, { id });
  if (journal.kind !== 'owned') throw new Error(journal.message);
  const texts = (): unknown[] => {
    const lines = Buffer.from(disk.contents(journal.location) ?? [])
      .toString()
      .split('\n')
      .slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { payload: { text?: string } }).payload.text ?? 'meta');
  };
  return { disk, store, journal, texts };
}

/** The journal after its first, more expensive commit. */
async function startedThread() {
  const thread = await newThread();
  thread.journal.append([draft('first')]);
  await thread.journal.durable();
  thread.disk.syncs = 0;
  thread.disk.directorySyncs = 0;
  return thread;
}

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Fault) return error;
  throw new Error(`no fault but ${String(error)}`);
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

describe('appending', () => {
  test('stamps lines with time and ordinal, after the first line of the thread', async () => {
    const { journal, disk } = await newThread();
    const lines = journal.append([draft('a'), { ...draft('b'), metadata: { m: 1 } }]);
    const timestamp = '2026-11-15T10:00:00.000Z';
    expect(lines).toEqual([
      { timestamp, ordinal: 0, type: 'session_meta', payload: { id, history_mode: 'paginated' } },
      { timestamp, ordinal: 1, type: 'event_msg', payload: { text: 'a' } },
      { timestamp, ordinal: 2, type: 'event_msg', payload: { text: 'b' }, metadata: { m: 1 } },
    ]);
    await journal.close();
    const written = Buffer.from(disk.contents(journal.location) ?? []).toString();
    expect(written).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });

  test('never goes back in time', async () => {
    const { journal } = await newThread([0, 5, -60_000, 6, 7]);
    const times = [1, 2, 3, 4].flatMap(() => journal.append([draft('x')])).map((line) => line.timestamp.slice(-5));
    expect(times).toEqual(['.005Z', '.005Z', '.005Z', '.006Z', '.007Z']);
  });

  test('takes the payload as it is at that moment', async () => {
    const { journal, texts } = await newThread();
    const payload = { text: 'then' };
    journal.append([{ type: 'event_msg', payload }]);
    payload.text = 'now';
    await journal.durable();
    expect(texts()).toEqual(['meta', 'then']);
  });

  test('of nothing leaves no file', async () => {
    const { journal, disk } = await newThread();
    expect(journal.append([])).toEqual([]);
    await journal.durable();
    await journal.close();
    expect(disk.contents(journal.location)).toBeUndefined();
    expect([...disk.names().keys()]).toEqual(['/']);
  });

  test('writes nothing until a caller waits, or much has gathered', async () => {
    const { journal, disk, texts } = await newThread();
    journal.append([draft('x'.repeat(60_000))]);
    await turns(50);
    expect(disk.contents(journal.location)).toBeUndefined();
    journal.append([draft('x'.repeat(6_000))]);
    await turns(50);
    expect(texts().length).toBe(3);
    expect(disk.syncs).toBe(0);
    await journal.durable();
    expect(disk.syncs).toBe(1);
  });
});

describe('group commit', () => {
  test('costs one sync per durable group, and nothing when there is nothing new', async () => {
    const { journal, disk } = await startedThread();
    for (let round = 1; round <= 5; round += 1) {
      journal.append([draft('x'), draft('y')]);
      await journal.durable();
      await journal.durable();
      expect([disk.syncs, disk.directorySyncs]).toEqual([round, 0]);
    }
  });

  test('serves calls of the same moment with one sync', async () => {
    const { journal, disk, texts } = await startedThread();
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        journal.append([draft(`${index}`)]);
        return journal.durable();
      }),
    );
    expect(disk.syncs).toBe(1);
    expect(texts().length).toBe(102);
  });

  test('serves calls that come during a sync with one more', async () => {
    const { journal, disk } = await startedThread();
    const gates: (() => void)[] = [];
    disk.slow = () => new Promise((resolve) => gates.push(resolve));
    journal.append([draft('a')]);
    let early = false;
    const first = journal.durable().then(() => (early = true));
    await turns(20);
    // Nothing new: the sync that runs is enough. Something new: it is not.
    const same = journal.durable();
    journal.append([draft('b')]);
    const later = Array.from({ length: 10 }, () => journal.durable());
    await turns(20);
    expect([gates.length, early]).toEqual([1, false]);
    gates[0]?.();
    await Promise.all([first, same]);
    await turns(20);
    expect(gates.length).toBe(2);
    gates[1]?.();
    await Promise.all(later);
    expect(disk.syncs).toBe(2);
  });

  test('makes the name of a new file safe, once per folder', async () => {
    const { journal, store, disk } = await newThread();
    journal.append([draft('a')]);
    await journal.durable();
    // The day, the month, the year, sessions, the home and what it stands in.
    expect([disk.syncs, disk.directorySyncs]).toEqual([1, 6]);
    const other = await store.create('01a1dcd3-eee5-7d53-9563-000000000000' as ThreadId, {});
    if (other.kind !== 'owned') throw new Error(other.message);
    other.append([draft('a')]);
    await other.durable();
    expect([disk.syncs, disk.directorySyncs]).toEqual([2, 7]);
  });

  test('keeps files and folders to their owner', async () => {
    const { journal, disk } = await startedThread();
    const names = disk.names();
    expect(names.get(journal.location)).toBe(0o600);
    const folders = [...names].filter(([name]) => name.endsWith('/') && name !== '/');
    expect(folders.map(([, mode]) => mode)).toEqual(folders.map(() => 0o700));
  });
});

describe('a disk that refuses', () => {
  test('when full, loses the unsynced lines as a whole and says so ever after', async () => {
    const { journal, disk, store, texts } = await startedThread();
    disk.capacity = (disk.contents(journal.location)?.length ?? 0) + 100;
    journal.append([draft('fits'), draft('does not fit')]);
    const waiting = [journal.durable(), journal.durable()];
    const faults = await Promise.all(waiting.map(faultOf));
    expect(faults[0]).toBe(faults[1]);
    expect(faults[0]).toMatchObject({ code: 'disk-full', message: expect.stringContaining(journal.location) });
    expect(faults[0]?.message).toContain('ENOSPC');
    expect(faults[0]?.next).toContain('Free some space');
    expect(texts()).toEqual(['meta', 'first']);

    disk.capacity = Number.POSITIVE_INFINITY;
    expect(journal.append([draft('in vain')])).toMatchObject([{ payload: { text: 'in vain' } }]);
    expect(await faultOf(journal.durable())).toBe(faults[0]);
    expect(await faultOf(journal.close())).toBe(faults[0]);
    expect(texts()).toEqual(['meta', 'first']);

    const again = await store.open(id);
    if (again.kind !== 'owned') throw new Error(again.message);
    expect(again.append([draft('second')])).toMatchObject([{ ordinal: 2 }]);
    await again.close();
    expect(texts()).toEqual(['meta', 'first', 'second']);
  });

  test.each([
    ['append', 'EIO', 'disk-failed'],
    ['sync', 'EIO', 'disk-failed'],
    ['sync', 'EDQUOT', 'disk-full'],
    ['append', 'EROFS', 'disk-denied'],
  ] as const)('at %s with %s faults as %s', async (operation, code, expected) => {
    const { journal, disk, texts } = await startedThread();
    journal.append([draft('lost')]);
    disk.failNext(operation, code);
    expect(await faultOf(journal.durable())).toMatchObject({ code: expected, cause: { code } });
    expect(texts()).toEqual(['meta', 'first']);
  });

  test.each(['makeDirectory', 'open', 'size', 'append', 'sync', 'syncDirectory'] as const)(
    'at the first %s of a new thread leaves nothing of it',
    async (operation) => {
      const { journal, disk, store } = await newThread();
      journal.append([draft('lost')]);
      disk.failNext(operation, 'EIO');
      expect(await faultOf(journal.durable())).toMatchObject({ code: 'disk-failed' });
      expect(disk.contents(journal.location)?.length ?? 0).toBe(0);
      await faultOf(journal.close());
      const again = await store.open(id);
      expect(again).toMatchObject({
        kind: 'refused',
        code: 'thread-unknown',
      });
    },
  );

  test('does not care about folders above the home', async () => {
    const { journal, disk } = await newThread();
    const syncDirectory = disk.syncDirectory.bind(disk);
    disk.syncDirectory = async (path) => {
      if (path === '/') throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      await syncDirectory(path);
    };
    journal.append([draft('a')]);
    await journal.durable();
    expect(disk.directorySyncs).toBe(5);
  });

  test('is reported in the end although no caller waited', async () => {
    const { journal, disk } = await startedThread();
    disk.failNext('append', 'EIO');
    journal.append([draft('x'.repeat(70_000))]);
    await turns(50);
    const fault = await faultOf(journal.durable());
    expect(fault.code).toBe('disk-failed');
    expect(await faultOf(journal.close())).toBe(fault);
    expect(await disk.locks.take(`/home/thread-writer-locks/${id}.lock`)).toMatchObject({ kind: 'lock' });
  });

  test('of what was found costs the lines that came after it, and closing says so', async () => {
    const { journal, disk, store } = await startedThread();
    await journal.close();
    const again = await store.open(id);
    if (again.kind !== 'owned') throw new Error(again.message);
    disk.failNext('syncDirectory', 'EIO');
    const fault = await faultOf(again.durable());
    again.append([draft('lost')]);
    expect(await faultOf(again.close())).toBe(fault);
  });

  test('may leave half a line when it cannot even be cut, which the next opening mends', async () => {
    const { journal, disk, store, texts } = await startedThread();
    const before = disk.contents(journal.location)?.length ?? 0;
    journal.append([draft('lost')]);
    disk.failNext('append', 'EIO');
    disk.failNext('truncate', 'EIO');
    await faultOf(journal.close());
    const left = (disk.contents(journal.location)?.length ?? 0) - before;
    expect(left).toBeGreaterThan(0);
    const again = await store.open(id);
    expect(again).toMatchObject({ kind: 'owned', torn: { bytes: left } });
    expect(texts()).toEqual(['meta', 'first']);
  });

  test('does not cost another writer its lines', async () => {
    const { journal, disk, texts } = await startedThread();
    const stranger = await disk.open(journal.location, { create: false, mode: 0o600 });
    await stranger.append(
      Buffer.from('{"payload":{"text":"written without a lock, and longer than ours"}}\n'.repeat(9)),
    );
    journal.append([draft('lost')]);
    disk.failNext('sync', 'EIO');
    await faultOf(journal.durable());
    expect(texts().length).toBe(12);
  });
});

describe('closing', () => {
  const closed = async (journal: Owned, disk: SimulatedDisk): Promise<void> => {
    await journal.close();
    expect(await disk.locks.take(`/home/thread-writer-locks/${id}.lock`)).toMatchObject({ kind: 'lock' });
  };

  test('saves what is queued and frees the lock', async () => {
    const { journal, disk } = await startedThread();
    journal.append([draft('last')]);
    expect(await disk.locks.take(`/home/thread-writer-locks/${id}.lock`)).toMatchObject({ kind: 'held' });
    await closed(journal, disk);
    const after = disk.crash(() => 0);
    expect(Buffer.from(after.contents(journal.location) ?? []).toString()).toContain('last');
  });

  test('twice is the same as once', async () => {
    const { journal, disk } = await startedThread();
    journal.append([draft('last')]);
    await Promise.all([journal.close(), journal.close()]);
    await closed(journal, disk);
    await journal.durable();
    expect(disk.syncs).toBe(1);
  });

  test('is final', async () => {
    const { journal, texts } = await startedThread();
    const closing = journal.close();
    expect(journal.append([draft('late')])).toMatchObject([{ ordinal: 2 }]);
    expect(await faultOf(journal.durable())).toMatchObject({ code: 'thread-closed' });
    await closing;
    expect(texts()).toEqual(['meta', 'first']);
  });
});

test('lines reach the file in order, whole and once, however calls interleave', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('append' as const),
        sizes: fc.array(fc.constantFrom(1, 500, 40_000), { maxLength: 4 }),
      }),
      fc.record({ kind: fc.constantFrom('durable' as const, 'await' as const) }),
      fc.record({ kind: fc.constant('turns' as const), count: fc.nat(12) }),
    ),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const { journal, texts } = await newThread();
      const expected: string[] = [];
      /** The number of lines that each call waited for, and the number in the file when it was served. */
      const served: Promise<readonly [waitedFor: number, found: number]>[] = [];
      for (const step of steps) {
        if (step.kind === 'append') {
          const made = step.sizes.map((size) => 'x'.repeat(size));
          journal.append(made.map(draft));
          expected.push(...made);
        } else if (step.kind === 'turns') {
          await turns(step.count);
        } else {
          const count = expected.length;
          served.push(journal.durable().then(() => [count === 0 ? 0 : count + 1, texts().length] as const));
          if (step.kind === 'await') await served.at(-1);
        }
      }
      await journal.close();
      expect((await Promise.all(served)).filter(([waitedFor, found]) => found < waitedFor)).toEqual([]);
      expect(texts()).toEqual(expected.length === 0 ? [] : ['meta', ...expected]);
    }),
    { numRuns: 100 },
  );
});
