import {
  assertRefusal,
  casesOf,
  type ContractCase,
  first,
  expectHeld,
  ordinals,
  expectOwned,
  revertTo,
  rolloutCasesOf,
  storedTexts,
  uuid,
  wordDrafts,
  appendTexts,
} from './contract-case.ts';
import { directoryCases } from './directory-cases.ts';
import { rolloutCases } from './rollout-cases.ts';
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { createHash } from 'node:crypto';

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
    await rejects(held.revert(revertTo(uuid(8), 2)), lost);
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
