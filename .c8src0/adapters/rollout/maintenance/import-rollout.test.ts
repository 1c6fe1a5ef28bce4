import { expect, test } from 'vitest';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { removalGraceMs, removeTemporaryFiles } from './remove-unreferenced.ts';
import { type ImportOptions, importRollout } from './import-rollout.ts';

const id = '01a1dcd3-eee5-7d53-9563-298808fb6396';
const timestamp = '2026-11-15T10:00:00.000Z';
const content = [
  { timestamp, ordinal: 0, type: 'session_meta', payload: { id, timestamp, history_mode: 'paginated' } },
  { timestamp, ordinal: 1, type: 'event_msg', payload: { type: 'note', text: 'x'.repeat(3_000_000) } },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

async function exported(): Promise<{ disk: SimulatedDisk; options: ImportOptions }> {
  const disk = new SimulatedDisk();
  await disk.makeDirectory('/home', 0o700);
  const file = await disk.open('/home/exported', { create: true, mode: 0o600 });
  await file.append(Buffer.from(content));
  await file.close();
  const localTime = () => ({ year: 2026, month: 11, day: 15, hour: 10, minute: 0, second: 0 });
  let made = 0;
  return { disk, options: { files: disk, home: '/home', localTime, ids: { uuid: () => `id-${made++}` } } };
}

const rollouts = (disk: SimulatedDisk): readonly string[] =>
  [...disk.names().keys()].filter((name) => /rollout-/.test(name));

test('of two imports at once one is done, whole, and the other is refused', async () => {
  const { disk, options } = await exported();
  const results = await Promise.all([
    importRollout('/home/exported', options),
    importRollout('/home/exported', options),
  ]);
  expect(results.map((result) => ('code' in result ? result.code : result.kind)).toSorted()).toEqual([
    'imported',
    'thread-exists',
  ]);
  const [path, ...more] = rollouts(disk);
  const text = Buffer.from(disk.contents(path!)!).toString();
  // Only the first line is another: it says that the thread was imported.
  const [first, ...rest] = text.split('\n');
  const [before, ...others] = content.split('\n');
  expect([rest, more]).toEqual([others, []]);
  const { payload, ...line } = JSON.parse(before!) as { readonly payload: object };
  const imported = expect.stringMatching(/^id-/) as string;
  expect(JSON.parse(first!)).toEqual({ ...line, payload: { ...payload, capstan: { imported } } });
});

test('what a dead import leaves is no thread, and is collected', async () => {
  const { disk, options } = await exported();
  disk.failNext('sync', 'EIO');
  // As if no process had been left to clean up.
  const remove = disk.remove.bind(disk);
  disk.remove = () => Promise.reject(new Error('dead'));
  await expect(importRollout('/home/exported', options)).rejects.toThrow('EIO');
  disk.remove = remove;
  expect(rollouts(disk)).toHaveLength(1);
  const clock = { now: () => Date.now() + 1e13 + removalGraceMs, sleep: async () => {} };
  const collecting = { files: disk, home: '/home', locks: disk.locks, clock, dryRun: false, reverted: false };
  expect(await removeTemporaryFiles({ ...collecting, maxBlobBytes: 0 })).toMatchObject({ files: 1 });
  expect(await importRollout('/home/exported', options)).toMatchObject({ kind: 'imported', id });
});
