import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { ThreadId } from '../../src/protocol/ids.ts';
import { chosenFile } from '../../src/adapters/rollout/index/listed-files.ts';
import { emptyDatabase, withDatabase } from '../../src/adapters/rollout/index/database.ts';
import { readFilesIntoIndex } from '../../src/adapters/rollout/index/thread-index.ts';
import { all, bytesOf, IndexHome, lineText, meta, noon, turn, uuid } from './index-home.ts';

const mega = 1024 * 1024;
const one = uuid(1);
const two = uuid(2);
const three = uuid(3);

/** A home with two threads that the index knows. */
async function knownHome(): Promise<IndexHome> {
  const home = new IndexHome();
  home.write(one, [meta(one), ...turn('t1', 'apples')]);
  home.write(two, [meta(two), ...turn('t1', 'bananas')]);
  await home.index.refresh({ anew: false });
  return home;
}

async function answers(home: IndexHome): Promise<unknown> {
  return { listed: await home.listed(), apples: await home.found('apples'), bananas: await home.found('bananas') };
}

const rightAnswers = { listed: [two, one], apples: [one], bananas: [two] };

it('shows what a thread is now, whatever the index says', async () => {
  const home = await knownHome();
  const path = home.write(three, [meta(three), ...turn('t1', 'cherries')], { mtime: noon - 1000 });
  expect(await home.listed()).toEqual([two, one, three]);
  home.grow(path, turn('t2', 'dates'), { from: 6, mtime: noon + 1000 });
  const page = await home.index.list({ ...all, limit: 1 });
  expect('threads' in page && page.threads.map(({ id, turns, updatedAt }) => [id, turns, updatedAt])).toEqual([
    [three, 2, noon + 1000],
  ]);
  rmSync(path);
  expect(await home.listed()).toEqual([two, one]);
});

it('reads of a file that has grown only what is new', async () => {
  const home = new IndexHome();
  const lines = [meta(one), ...turn('t1', 'apples'), ...turn('t2', 'bananas')];
  const path = home.write(one, lines);
  expect(await home.found('apples')).toEqual([one]);
  // No program does that; it shows what is not read again.
  writeFileSync(path, readFileSync(path, 'utf8').replace('apples', 'XXXXXX'));
  home.grow(path, turn('t3', 'cherries'), { from: 11, mtime: noon + 1000 });
  expect([await home.found('apples'), await home.found('cherries')]).toEqual([[one], [one]]);
  expect(await home.index.refresh({ anew: true })).toEqual({ threads: 1 });
  expect([await home.found('apples'), await home.found('cherries')]).toEqual([[], [one]]);
});

it('keeps what was said in a file that it reads on while another process forgets everything', async () => {
  const home = new IndexHome();
  const path = home.write(one, [meta(one), ...turn('t1', 'apples')]);
  await home.index.refresh({ anew: false });
  home.grow(path, turn('t2', 'cherries'), { from: 6, mtime: noon });
  await withDatabase(home.path, async (database) => {
    // It asks what is known of the file before it reads; the other process forgets that before it writes.
    const reading = readFilesIntoIndex(database, home.path, [chosenFile(database, one as ThreadId)!]);
    await withDatabase(home.path, async (other) => emptyDatabase(other));
    await reading;
  });
  await home.index.refresh({ anew: false });
  expect([await home.found('apples'), await home.found('cherries')]).toEqual([[one], [one]]);
});

it('says that it waits while another process writes, and then does its work', async () => {
  const home = await knownHome();
  home.write(two, [meta(two), ...turn('t1', 'pears')]);
  const waited = Promise.withResolvers<void>();
  const reports: (number | 'waiting')[] = [];
  await withDatabase(home.path, async (other) => {
    other.exec('BEGIN IMMEDIATE');
    const found = home.index.search('pears', all, (done) => {
      reports.push(done);
      waited.resolve();
    });
    await waited.promise;
    expect(reports).toEqual(['waiting']);
    other.exec('COMMIT');
    expect(await found).toMatchObject({ hits: [{ thread: { id: two } }] });
  });
  expect(reports.at(-1)).toBe(1);
});

it('reads a file that was written anew from its beginning', async () => {
  const home = await knownHome();
  home.write(one, [meta(one), ...turn('t1', 'cherries'), ...turn('t2', 'and more of them')], { mtime: noon + 1000 });
  expect([await home.found('apples'), await home.found('cherries')]).toEqual([[], [one]]);
  home.write(one, [meta(one), ...turn('t1', 'dates')], { mtime: noon + 2000 });
  expect([await home.found('cherries'), await home.found('dates')]).toEqual([[], [one]]);
});

it('takes a last line without its newline as it is, and continues there when it has one', async () => {
  const home = new IndexHome();
  const path = home.write(one, [meta(one), ...turn('t1', 'apples')]);
  const turns = async (): Promise<unknown> => (await home.index.summary(one as never))?.turns;
  const line = lineText(['event_msg', { type: 'task_started', turn_id: 't2' }], 6);
  appendFileSync(path, line.slice(0, 30));
  expect(await turns()).toBe(1);
  appendFileSync(path, line.slice(30, -1));
  expect(await turns()).toBe(2);
  appendFileSync(path, '\n');
  expect(await turns()).toBe(2);
});

it('is made again when it is gone, broken, or of another version', async () => {
  const home = await knownHome();
  const broken = `${home.database}.broken`;
  const damages: Readonly<Record<string, () => void>> = {
    gone: () => rmSync(home.database),
    'folder gone': () => rmSync(dirname(home.database), { recursive: true }),
    empty: () => writeFileSync(home.database, ''),
    'no database': () => writeFileSync(home.database, 'not a database at all, but long enough. '.repeat(200)),
    'damaged inside': () => {
      const bytes = readFileSync(home.database);
      bytes.fill(0x5a, 4096, bytes.length - 512);
      writeFileSync(home.database, bytes);
    },
    'cut off': () => writeFileSync(home.database, readFileSync(home.database).subarray(0, 6000)),
    older: () => inside(home, 'PRAGMA user_version = 0'),
    newer: () =>
      inside(home, 'ALTER TABLE threads ADD COLUMN colour TEXT NOT NULL DEFAULT 1', 'PRAGMA user_version = 99'),
    'table gone': () => inside(home, 'DROP TABLE messages'),
    'rows without sense': () => inside(home, "UPDATE threads SET summary = '{', fold = ']'"),
  };
  for (const [name, damage] of Object.entries(damages)) {
    damage();
    expect([name, await answers(home)]).toEqual([name, rightAnswers]);
    // In the file again, and not only in memory.
    expect([name, inside(home, 'SELECT id FROM messages')]).toEqual([name, 4]);
  }
  expect(existsSync(broken)).toBe(true);
  expect(statSync(home.database).mode & 0o777).toBe(0o600);
});

it('takes the place of an older one, which knew other words and keeps none', async () => {
  const home = await knownHome();
  const older = home.database.replace(/\d+\.sqlite$/, '1.sqlite');
  expect(older).not.toBe(home.database);
  rmSync(home.database);
  for (const side of ['', '-wal']) writeFileSync(`${older}${side}`, 'old words');
  expect(await answers(home)).toEqual(rightAnswers);
  expect([existsSync(older), existsSync(`${older}-wal`)]).toEqual([false, false]);
});

/** Does something to the database; gives back how many rows there are in answer to it. */
function inside(home: IndexHome, ...steps: readonly string[]): number {
  const database = new DatabaseSync(home.database);
  const rows = steps.map((sql) => database.prepare(sql).all().length);
  database.close();
  return rows.at(-1) ?? 0;
}

it('does without a file where it may not write one', async () => {
  const home = new IndexHome();
  home.write(one, [meta(one), ...turn('t1', 'apples')]);
  home.write(two, [meta(two), ...turn('t1', 'bananas')]);
  writeFileSync(dirname(home.database), 'in the way');
  expect(await answers(home)).toEqual(rightAnswers);
  expect(readFileSync(dirname(home.database), 'utf8')).toBe('in the way');
});

it('skips files without a thread; an empty one hides no older file of its thread', async () => {
  const home = await knownHome();
  home.write(one, [], { rollout: three });
  const torn = home.write(two, [], { rollout: uuid(4) });
  writeFileSync(torn, '{"timestamp":"2026-01-02T12:00:00.000Z","ordinal":0,"type":"session_m');
  utimesSync(torn, noon / 1000, noon / 1000);
  home.write(uuid(5), turn('t1', 'no first line'));
  expect(await answers(home)).toEqual(rightAnswers);
  writeFileSync(torn, `${lineText(meta(two), 0)}`);
  expect((await home.index.summary(two as never))?.location).toBe(torn);
});

it('shows of a fork its own part while what it continues from is missing', async () => {
  const home = new IndexHome();
  const lines = [meta(one), ...turn('t1', 'apples')];
  const source = home.write(one, lines);
  home.write(two, [meta(two, home.base(source, one, 6, bytesOf(lines))), ...turn('t2', 'bananas')], { from: 6 });
  const aside = `${source}.aside`;
  renameSync(source, aside);
  expect(await home.found('bananas')).toEqual([two]);
  expect((await home.index.summary(two as never))?.preview).toBe('bananas');
  renameSync(aside, source);
  expect((await home.index.summary(two as never))?.preview).toBe('apples');
  expect(await home.found('apples')).toEqual([two, one]);
});

it('names compressed files that unpack to far more than they are, and lists the others', async () => {
  const home = await knownHome();
  const [bytes, lines, damaged] = [3, 4, 5].map((n) => home.write(uuid(n), [meta(uuid(n))], { compressed: true }));
  const head = (n: number): string => lineText(meta(uuid(n)), 0);
  writeFileSync(bytes!, zstdCompressSync(Buffer.concat([Buffer.from(head(3)), Buffer.alloc(130 * mega, 'x')])));
  writeFileSync(lines!, zstdCompressSync(`${head(4)}${'[]\n'.repeat(110_000)}`));
  writeFileSync(damaged!, readFileSync(damaged!).subarray(0, -9));
  const problem = (path: string, what: string) => ({
    code: 'thread-unreadable',
    message: expect.stringMatching(`${path} ${what}`),
    next: expect.any(String),
  });
  const page = await home.index.list(all);
  expect(page).toMatchObject({ threads: [{ id: two }, { id: one }] });
  for (const found of [page, await home.index.search('apples', all)]) {
    expect('unreadable' in found && found.unreadable?.toSorted((a, b) => (a.message < b.message ? -1 : 1))).toEqual([
      problem(bytes!, String.raw`is too large: its \d+ bytes unpack to more than 128 MB`),
      problem(lines!, String.raw`is too large: its \d+ bytes unpack to more than 100000 lines`),
      problem(damaged!, 'cannot be unpacked'),
    ]);
  }
  await expect(home.index.summary(uuid(3) as ThreadId)).rejects.toThrow('is too large');
  expect(await answers(home)).toEqual(rightAnswers);
});
