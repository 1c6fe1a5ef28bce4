import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished, test } from 'vitest';
import { systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import { systemIds } from '../../src/adapters/gather/clock-and-ids.ts';
import type { ThreadStore } from '../../src/ports/thread-store.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import { createMemoryStore, rolloutStoreContract, SimulatedDisk } from '../../src/testing/index.ts';
import { createFileContents } from '../../src/engine/undo/content-store.ts';
import { createBlobs } from '../../src/adapters/rollout/store/blobs.ts';
import { withBlobs } from '../../src/adapters/rollout/store/store-with-seals-and-blobs.ts';
import { createFileDirectory } from '../../src/engine/store/home-store.ts';
import { createFlock } from '../../src/adapters/rollout/files/file-locks.ts';
import { lockPath } from '../../src/adapters/rollout/files/rollout-paths.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { createRolloutStore, type RolloutStoreOptions } from '../../src/adapters/rollout/store/rollout-store.ts';

/** Every look at it takes a millisecond. */
function steppingClock() {
  let now = Date.UTC(2026, 10, 15);
  return { now: () => (now += 1), sleep: () => Promise.resolve(), pass: (ms: number) => void (now += ms) };
}

function storeIn(parts: RolloutStoreOptions): ThreadStore {
  const { home, clock } = parts;
  const ids = systemIds(clock);
  return {
    rollouts: createRolloutStore(parts),
    directory: createFileDirectory({ ...parts, codexIndexFolder: home }),
    blobs: createBlobs({ ...parts, ids, maxBytes: 1000 }),
    contents: createFileContents({ home, ids }),
  };
}

/** The index and the packs of snapshots are on a real disk, always. */
const simulated = rolloutStoreContract.filter(({ part }) => part === 'rollouts' || part === 'blobs');

/* oxlint-disable vitest/expect-expect -- the contract brings its own checks */
describe.each(rolloutStoreContract)('$name', ({ run }) => {
  test('in memory', async () => {
    const clock = steppingClock();
    const store = createMemoryStore(clock, { leaseMs: 1000 });
    await run({ store, other: store, lapse: async () => clock.pass(1000) });
  });

  test('on the disk', async () => {
    const clock = steppingClock();
    const home = mkdtempSync(join(tmpdir(), 'capstan-store-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const locks = createFlock({ clock, programs: systemPrograms });
    const make = () => storeIn({ home, files: nodeFiles, locks, clock });
    // The lock is the lease: only where its file was removed can another process take it.
    await run({ store: make(), other: make(), lapse: async (id: ThreadId) => rmSync(lockPath(home, id)) });
  });
});

describe.each(simulated)('$name', ({ run }) => {
  test('on a simulated disk', async () => {
    const disk = new SimulatedDisk();
    const clock = steppingClock();
    const make = () => storeIn({ home: '/home', files: disk, locks: disk.locks, clock });
    await run({ store: make(), other: make(), lapse: async () => disk.locks.releaseAll() });
  });

  test('with blobs beside it', async () => {
    const disk = new SimulatedDisk();
    const clock = steppingClock();
    const make = (): ThreadStore => {
      const store = storeIn({ home: '/home', files: disk, locks: disk.locks, clock });
      return { ...store, rollouts: withBlobs(store.rollouts, store.blobs) };
    };
    await run({ store: make(), other: make(), lapse: async () => disk.locks.releaseAll() });
  });
});
