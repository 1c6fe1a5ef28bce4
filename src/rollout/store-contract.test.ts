import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished, test } from 'vitest';
import { createMemoryStore, rolloutStoreContract, SimulatedDisk } from '../testing/index.ts';
import { createBlobs } from './blobs.ts';
import { withBlobs } from './blobs-store.ts';
import { systemPrograms } from '../exec/programs.ts';
import { createFlock } from './flock.ts';
import { nodeFiles } from './node-files.ts';
import { createRolloutStore } from './store.ts';

const clock = { now: () => Date.UTC(2026, 10, 15), sleep: () => Promise.resolve() };

/* oxlint-disable vitest/expect-expect -- the contract brings its own checks */
describe.each(rolloutStoreContract)('$name', ({ run }) => {
  test('in memory', async () => {
    const store = createMemoryStore(clock);
    await run({ store, other: store });
  });

  test('on a simulated disk', async () => {
    const disk = new SimulatedDisk();
    const make = () => createRolloutStore({ home: '/home', files: disk, locks: disk.locks, clock });
    await run({ store: make(), other: make() });
  });

  test('with blobs beside it', async () => {
    const disk = new SimulatedDisk();
    const parts = { home: '/home', files: disk, locks: disk.locks, clock };
    const blobs = createBlobs({ ...parts, ids: { uuid: () => 'id' }, maxBytes: 1000 });
    const make = () => withBlobs(createRolloutStore(parts), blobs);
    await run({ store: make(), other: make() });
  });

  test('on the disk', async () => {
    const home = mkdtempSync(join(tmpdir(), 'capstan-store-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const make = () =>
      createRolloutStore({ home, files: nodeFiles, locks: createFlock({ clock, programs: systemPrograms }), clock });
    await run({ store: make(), other: make() });
  });
});
