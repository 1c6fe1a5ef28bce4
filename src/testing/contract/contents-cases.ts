import { deepStrictEqual, strictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { casesOf } from './kit.ts';

const content = (text: string): readonly [hash: string, bytes: Uint8Array] => {
  const bytes = new TextEncoder().encode(text);
  return [createHash('sha256').update(bytes).digest('hex'), bytes];
};
const [[one, oneBytes], [two, twoBytes]] = [content('one'), content('two')];
const [sha256, blobBytes] = content('what the model did not see');

/** What is promised of bytes that are kept beside the lines. */
export const blobCases = casesOf('blobs', {
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

/** What is promised of the contents of snapshots. */
export const contentsCases = casesOf('contents', {
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
