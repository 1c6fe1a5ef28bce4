import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { scene } from '../harness/scene.ts';
import { IndexHome, meta, turn, uuid } from './index-home.ts';

it('serves several processes at once that all find no index', async () => {
  const { place } = await scene([]);
  const home = new IndexHome();
  const ids = Array.from({ length: 60 }, (_, i) => uuid(i + 1));
  for (const id of ids) home.write(id, [meta(id), ...turn('t', `apples ${id}`)]);
  const start = (...words: readonly string[]) =>
    place.start(['threads', ...words], { env: { CAPSTAN_HOME: home.path } });
  const running = [
    start('reindex'),
    start('search', 'apples', '--json', '--limit', '100'),
    start('list', '--json', '--limit', '100'),
    start('reindex', '--changed'),
  ];
  const [reindexed, found, listed, changed] = await Promise.all(running.map(({ finished }) => finished));
  expect([reindexed, found, listed, changed].map((end) => [end?.code, end?.stderr])).toEqual(
    Array.from({ length: 4 }, () => [0, '']),
  );
  const newestFirst = ids.toReversed();
  const hits = (JSON.parse(found!.stdout) as { hits: { thread: { id: string } }[] }).hits.map(
    ({ thread }) => thread.id,
  );
  const threads = (JSON.parse(listed!.stdout) as { threads: { id: string }[] }).threads.map(({ id }) => id);
  expect({ hits, threads }).toEqual({ hits: newestFirst, threads: newestFirst });
  // Nothing was moved aside, and no process left anything open.
  expect(readdirSync(join(home.path, 'capstan'))).toEqual(['threads-7.sqlite']);
});

it('reads in the background what a list has left unread in a home that is new to it', async () => {
  const { place } = await scene([]);
  const home = new IndexHome();
  const ids = Array.from({ length: 520 }, (_, i) => uuid(i + 1));
  for (const id of ids) home.write(id, [meta(id), ...turn('t', 'apples')]);
  const listed = await place.start(['threads', 'list', '-n', '1', '--json'], { env: { CAPSTAN_HOME: home.path } })
    .finished;
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  // One process reads at a time.
  expect(await home.index.takeReading()).toBe(false);
  await expect.poll(() => known(home), { timeout: 25_000, interval: 100 }).toBe(ids.length);
});

function known({ database }: IndexHome): unknown {
  const connection = new DatabaseSync(database, { readOnly: true, timeout: 5000 });
  try {
    return connection.prepare('SELECT count(*) AS count FROM threads').get()?.['count'];
  } finally {
    connection.close();
  }
}
