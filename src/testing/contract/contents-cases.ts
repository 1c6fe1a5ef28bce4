import { deepStrictEqual, strictEqual } from 'node:assert';
import { createHash } from 'node:crypto';
import { casesOf } from './kit.ts';

const content = (text: string): readonly [hash: string, bytes: Uint8Array] => {
  const bytes = new TextEncoder().encode(text);
  return [createHash('sha256').update(bytes).digest('hex'), bytes];
};
const [[one, oneBytes], [two, twoBytes]] = [content('one'), content('two')];

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
