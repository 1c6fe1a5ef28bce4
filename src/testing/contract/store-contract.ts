import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import type { Ordinal } from '../../protocol/ids.ts';
import type { ContractCase } from './contract-case.ts';
import {
  appendTexts,
  assertRefusal,
  casesOf,
  expectHeld,
  expectOwned,
  first,
  placeAtStart,
  lineTexts,
  openAndAppendTexts,
  ordinals,
  revertTo,
  rolloutCasesOf,
  second,
  storedTexts,
  third,
  numberedUuid,
  wordDrafts,
} from './contract-case.ts';
import { directoryCases } from './directory-cases.ts';

const rolloutCases = rolloutCasesOf({
  'a thread in which nothing happened leaves nothing': async ({ store, other }) => {
    await expectOwned(await store.create(first, {})).close();
    assertRefusal('thread-unknown', await other.open(first));
    assertRefusal('thread-unknown', await other.current(first));
    assertRefusal('thread-unknown', await other.hold(first));
    await rejects(storedTexts(other, first));
  },
  'lines are stamped in order, and are read as they were given back': async ({ store, other }) => {
    const thread = expectOwned(await store.create(first, Promise.resolve({ cwd: '/repo' })));
    const given = [...thread.append(wordDrafts('a', 'b')), ...thread.append(wordDrafts('c'))];
    deepStrictEqual(ordinals(given), [0, 1, 2, 3]);
    deepStrictEqual(thread.append([]), []);
    await thread.durable();
    deepStrictEqual(await Array.fromAsync(other.read(first, placeAtStart)), given);
    deepStrictEqual(await Array.fromAsync(other.readBack(first)), given.toReversed());
    deepStrictEqual(given[0]?.payload, { id: first, cwd: '/repo', history_mode: 'paginated' });
    await thread.close();
    await thread.close();
  },
  'a lease says which line is the newest one, or nothing about it': async ({ store, other }) => {
    await appendTexts(await store.create(first, {}), 'a', 'b');
    const [newest] = await Array.fromAsync(other.readBack(first));
    const thread = expectOwned(await other.open(first));
    if (thread.newest !== undefined)
      deepStrictEqual(thread.newest, { ordinal: newest?.ordinal, timestamp: newest?.timestamp });
    await thread.close();
  },
  'lines are safe for each of those who wait for them at the same time': async ({ store, other }) => {
    const thread = expectOwned(await store.create(first, {}));
    thread.append(wordDrafts('a'));
    const before = thread.durable();
    thread.append(wordDrafts('b'));
    const [after, again] = [thread.durable(), thread.durable()];
    await again;
    deepStrictEqual(await storedTexts(other, first), ['a', 'b']);
    await Promise.all([before, after]);
    await thread.close();
  },
  'reading begins and ends where it is asked to, and leaves out what is not wanted': async ({ store, other }) => {
    const thread = expectOwned(await store.create(first, {}));
    thread.append([
      ...wordDrafts('a', 'b'),
      { type: 'event_msg', payload: { type: 'noise', text: 'n' } },
      ...wordDrafts('c'),
    ]);
    await thread.close();
    const range = { from: 2 as Ordinal, to: 4 as Ordinal };
    deepStrictEqual(await lineTexts(other.read(first, range)), ['b', 'n']);
    const wanted = ({ payloadType = 'word' }): boolean => payloadType === 'word';
    deepStrictEqual(await lineTexts(other.read(first, { from: 1 as Ordinal, wanted })), ['a', 'b', 'c']);
    deepStrictEqual((await lineTexts(other.readBack(first, wanted))).slice(0, 3), ['c', 'b', 'a']);
  },
  'a thread has one writer, and the next writer continues behind it': async ({ store, other }) => {
    const thread = expectOwned(await store.create(first, {}));
    assertRefusal('thread-locked', await other.create(first, {}));
    thread.append(wordDrafts('a'));
    await thread.durable();
    assertRefusal('thread-locked', await other.open(first));
    assertRefusal('thread-locked', await other.hold(first));
    deepStrictEqual(await storedTexts(other, first), ['a']);
    await thread.close();
    const next = expectOwned(await other.open(first));
    deepStrictEqual(ordinals(next.append(wordDrafts('b'))), [2]);
    assertRefusal('thread-locked', await store.open(first));
    await next.close();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b']);
  },
  'a fork continues from a place, and does not see what comes after it': async ({ store, other }) => {
    const source = expectOwned(await store.create(first, {}));
    source.append(wordDrafts('a', 'b', 'c'));
    await source.durable();
    const child = expectOwned(
      await other.fork(second, { forked_from_id: first }, { rolloutId: first, end: 3 as Ordinal }),
    );
    deepStrictEqual(ordinals(child.append(wordDrafts('d', 'e'))), [3, 4, 5]);
    await child.close();
    source.append(wordDrafts('later'));
    await source.close();
    deepStrictEqual(await storedTexts(store, second), ['a', 'b', 'd', 'e']);
    await appendTexts(await store.fork(third, {}, { rolloutId: second, end: 5 as Ordinal }), 'f');
    deepStrictEqual(await storedTexts(store, third), ['a', 'b', 'd', 'f']);
    deepStrictEqual((await lineTexts(store.readBack(third))).slice(0, 4), ['f', 'd', 'b', 'a']);
    deepStrictEqual(await lineTexts(store.read(third, { from: 2 as Ordinal, to: 5 as Ordinal })), ['b', 'd']);
    const again = expectOwned(await store.open(third));
    deepStrictEqual(ordinals(again.append(wordDrafts('g'))), [7]);
    await again.close();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b', 'c', 'later']);
  },
  'a fork of nothing is a new thread, and one of no place is refused': async ({ store }) => {
    await openAndAppendTexts(store, first, 'a');
    await appendTexts(await store.fork(second, {}, { rolloutId: first, end: 1 as Ordinal }), 'b');
    deepStrictEqual(await storedTexts(store, second), ['b']);
    assertRefusal('place-unknown', await store.fork(third, {}, { rolloutId: first, end: 9 as Ordinal }));
    assertRefusal('place-unknown', await store.fork(third, {}, { rolloutId: numberedUuid(9), end: 1 as Ordinal }));
    assertRefusal('thread-unknown', await store.open(third));
  },
  'a revert hides what came after its place, and can be undone': async ({ store, other }) => {
    await openAndAppendTexts(store, first, 'a', 'b', 'c');
    const held = expectHeld(await store.hold(first));
    strictEqual(held.current.rolloutId, first);
    assertRefusal('thread-locked', await other.open(first));
    assertRefusal('place-unknown', await held.revert(revertTo(numberedUuid(8), 9)));
    const made = await held.revert({ ...revertTo(numberedUuid(8), 3), note: { why: 'x' } });
    strictEqual(made.kind, 'current');
    await held.release();
    deepStrictEqual(await storedTexts(other, first), ['a', 'b']);
    await openAndAppendTexts(other, first, 'd');
    deepStrictEqual(await storedTexts(other, first), ['a', 'b', 'd']);
    const current = await other.current(first);
    ok(current.kind === 'current');
    deepStrictEqual(
      [current.rolloutId, current.meta['id'], current.meta['capstan']],
      [numberedUuid(8), first, { why: 'x' }],
    );
    const back = expectHeld(await other.hold(first));
    await back.revert({ ...revertTo(numberedUuid(9), 4), drafts: wordDrafts('again') });
    await back.release();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b', 'c', 'again']);
    await openAndAppendTexts(store, first, 'f');
    deepStrictEqual(await storedTexts(other, first), ['a', 'b', 'c', 'again', 'f']);
    // Reverted lines can still be forked.
    await appendTexts(await store.fork(second, {}, { rolloutId: numberedUuid(8), end: 5 as Ordinal }), 'e');
    deepStrictEqual(await storedTexts(store, second), ['a', 'b', 'd', 'e']);
  },
  'an archived thread is read and forked, and written when it is back': async ({ store, other }) => {
    await openAndAppendTexts(store, first, 'a', 'b');
    const held = expectHeld(await store.hold(first));
    await held.revert(revertTo(numberedUuid(8), 2));
    await held.archive();
    await held.release();
    assertRefusal('thread-archived', await other.open(first));
    deepStrictEqual(await storedTexts(other, first), ['a']);
    const current = await other.current(first);
    ok(current.kind === 'current' && current.archived);
    await appendTexts(await other.fork(second, {}, { rolloutId: numberedUuid(8), end: 2 as Ordinal }), 'c');
    const again = expectHeld(await other.hold(first));
    strictEqual(await again.unarchive(), 'unarchived');
    strictEqual(await again.unarchive(), 'active');
    await again.release();
    await openAndAppendTexts(store, first, 'd');
    deepStrictEqual(await storedTexts(store, first), ['a', 'd']);
    deepStrictEqual(await storedTexts(store, second), ['a', 'c']);
  },
  'a deleted thread is gone, and its forks are known before': async ({ store, other }) => {
    await openAndAppendTexts(store, first, 'a', 'b');
    await appendTexts(await store.fork(second, {}, { rolloutId: first, end: 2 as Ordinal }), 'c');
    await openAndAppendTexts(store, third, 'x');
    const held = expectHeld(await store.hold(first));
    deepStrictEqual(await held.forks(), [second]);
    strictEqual((await held.delete()).length, 1);
    await held.release();
    assertRefusal('thread-unknown', await other.open(first));
    deepStrictEqual(await storedTexts(other, third), ['x']);
  },
});

const content = (text: string): readonly [hash: string, bytes: Uint8Array] => {
  const bytes = new TextEncoder().encode(text);
  return [createHash('sha256').update(bytes).digest('hex'), bytes];
};
const [[one, oneBytes], [two, twoBytes]] = [content('one'), content('two')];
const [sha256, blobBytes] = content('what the model did not see');

const blobCases = casesOf('blobs', {
  'a blob is kept under the hash of its content, however often': async ({ store, other }) => {
    for (const blobs of [store.blobs, other.blobs]) {
      const { ref, kept, durable } = blobs.keep(blobBytes, 'always');
      deepStrictEqual([ref, kept], [{ sha256, bytes: blobBytes.length }, true]);
      await durable;
    }
    const loaded = await other.blobs.load(sha256);
    deepStrictEqual(loaded.kind === 'blob' && Uint8Array.from(loaded.bytes), blobBytes);
  },
  'a blob that is not there is missing, and no other name is one': async ({ store }) => {
    for (const name of [sha256, '../../etc/passwd', '']) {
      const loaded = await store.blobs.load(name);
      strictEqual(loaded.kind === 'missing' && loaded.code, 'blob-missing');
    }
  },
});

const contentsCases = casesOf('contents', {
  'contents count together when they are finished, and for their workspace': async ({ store, other }) => {
    const [mine, theirs] = [await store.contents.of('/work'), await other.contents.of('/work')];
    strictEqual(await theirs.bytes(), 0);
    const draft = mine.begin();
    draft.add(one, oneBytes);
    draft.add(two, twoBytes);
    strictEqual(await (await other.contents.of('/work')).has(one), false);
    await draft.finish();
    const after = await other.contents.of('/work');
    deepStrictEqual([await after.has(one), await after.has(two), await after.has('0'.repeat(64))], [true, true, false]);
    deepStrictEqual(Uint8Array.from((await after.load(two)) ?? []), twoBytes);
    strictEqual(await after.load('0'.repeat(64)), undefined);
    strictEqual((await after.bytes()) >= 6, true);
    strictEqual(await (await other.contents.of('/elsewhere')).load(one), undefined);
  },
  'contents that are given up leave nothing': async ({ store, other }) => {
    const draft = (await store.contents.of('/work')).begin();
    draft.add(one, oneBytes);
    await draft.discard();
    await (await store.contents.of('/work')).begin().finish();
    const after = await other.contents.of('/work');
    deepStrictEqual([await after.has(one), await after.bytes()], [false, 0]);
  },
  'the note about a workspace is the last one that was saved': async ({ store, other }) => {
    const contents = await store.contents.of('/work');
    deepStrictEqual([await contents.hasNote(), await contents.loadNote()], [false, undefined]);
    const draft = contents.begin();
    draft.add(one, oneBytes);
    await draft.finish();
    for (const note of ['first', 'second']) await contents.saveNote(note);
    const after = await other.contents.of('/work');
    deepStrictEqual([await after.hasNote(), await after.loadNote()], [true, 'second']);
    strictEqual(await (await other.contents.of('/elsewhere')).hasNote(), false);
  },
});

/** The Fault that the older writer gets. */
const lost = { code: 'lease-lost' };

const leaseCases = rolloutCasesOf({
  'every lease of a thread has a larger epoch than the one before': async ({ store, other }) => {
    const created = expectOwned(await store.create(first, {}));
    await appendTexts(created, 'a');
    const epochs = [created.epoch];
    for (const one of [other, store]) {
      const opened = expectOwned(await one.open(first));
      await opened.close();
      const held = expectHeld(await one.hold(first));
      await held.release();
      epochs.push(opened.epoch, held.epoch);
    }
    ok(epochs.every((epoch, at) => at === 0 || epoch > epochs[at - 1]!));
  },
  'what a writer appends after another one took over is refused': async ({ store, other, lapse }) => {
    if (lapse === undefined) return;
    const older = expectOwned(await store.create(first, {}));
    older.append(wordDrafts('a'));
    await older.durable();
    await lapse(first);
    const newer = expectOwned(await other.open(first));
    ok(newer.epoch > older.epoch);
    older.append(wordDrafts('late'));
    await rejects(older.durable(), lost);
    // Later writes fail too.
    older.append(wordDrafts('later'));
    await rejects(older.durable(), lost);
    deepStrictEqual(ordinals(newer.append(wordDrafts('b'))), [2]);
    await newer.durable();
    await rejects(older.close(), lost);
    // Closing the older writer did not release the newer one's lease.
    assertRefusal('thread-locked', await store.open(first));
    await newer.close();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b']);
    await appendTexts(await store.open(first), 'c');
    deepStrictEqual(await storedTexts(other, first), ['a', 'b', 'c']);
  },
  'a lease that lapses stays with its writer until another one comes': async ({ store, lapse }) => {
    if (lapse === undefined) return;
    const thread = expectOwned(await store.create(first, {}));
    thread.append(wordDrafts('a'));
    await thread.durable();
    await lapse(first);
    thread.append(wordDrafts('b'));
    await thread.close();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b']);
  },
  'a thread that another writer took over is not reverted, archived or deleted': async ({ store, other, lapse }) => {
    if (lapse === undefined) return;
    await appendTexts(await store.create(first, {}), 'a', 'b');
    const held = expectHeld(await store.hold(first));
    await lapse(first);
    const newer = expectOwned(await other.open(first));
    await rejects(held.revert(revertTo(numberedUuid(8), 2)), lost);
    await rejects(held.archive(), lost);
    await rejects(held.unarchive(), lost);
    await rejects(held.delete(), lost);
    await held.release();
    newer.append(wordDrafts('c'));
    await newer.close();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b', 'c']);
  },
});

/** The contract of every store, for any test runner: `for (const { name, run } of …) test(name, () => run(…))`. */
export const rolloutStoreContract: readonly ContractCase[] = [
  ...rolloutCases,
  ...leaseCases,
  ...directoryCases,
  ...blobCases,
  ...contentsCases,
];
