import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import type { Ordinal } from '../../protocol/ids.ts';
import {
  first,
  expectHeld,
  ordinals,
  expectOwned,
  assertRefusal,
  revertTo,
  rolloutCasesOf,
  second,
  fromStart,
  lineTexts,
  storedTexts,
  third,
  uuid,
  wordDrafts,
  appendTexts,
  openAndAppendTexts,
} from './contract-case.ts';

export const rolloutCases = rolloutCasesOf({
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
    deepStrictEqual(await Array.fromAsync(other.read(first, fromStart)), given);
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
    assertRefusal('place-unknown', await store.fork(third, {}, { rolloutId: uuid(9), end: 1 as Ordinal }));
    assertRefusal('thread-unknown', await store.open(third));
  },
  'a revert hides what came after its place, and can be undone': async ({ store, other }) => {
    await openAndAppendTexts(store, first, 'a', 'b', 'c');
    const held = expectHeld(await store.hold(first));
    strictEqual(held.current.rolloutId, first);
    assertRefusal('thread-locked', await other.open(first));
    assertRefusal('place-unknown', await held.revert(revertTo(uuid(8), 9)));
    const made = await held.revert({ ...revertTo(uuid(8), 3), note: { why: 'x' } });
    strictEqual(made.kind, 'current');
    await held.release();
    deepStrictEqual(await storedTexts(other, first), ['a', 'b']);
    await openAndAppendTexts(other, first, 'd');
    deepStrictEqual(await storedTexts(other, first), ['a', 'b', 'd']);
    const current = await other.current(first);
    ok(current.kind === 'current');
    deepStrictEqual([current.rolloutId, current.meta['id'], current.meta['capstan']], [uuid(8), first, { why: 'x' }]);
    const back = expectHeld(await other.hold(first));
    await back.revert({ ...revertTo(uuid(9), 4), drafts: wordDrafts('again') });
    await back.release();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b', 'c', 'again']);
    await openAndAppendTexts(store, first, 'f');
    deepStrictEqual(await storedTexts(other, first), ['a', 'b', 'c', 'again', 'f']);
    // Reverted lines can still be forked.
    await appendTexts(await store.fork(second, {}, { rolloutId: uuid(8), end: 5 as Ordinal }), 'e');
    deepStrictEqual(await storedTexts(store, second), ['a', 'b', 'd', 'e']);
  },
  'an archived thread is read and forked, and written when it is back': async ({ store, other }) => {
    await openAndAppendTexts(store, first, 'a', 'b');
    const held = expectHeld(await store.hold(first));
    await held.revert(revertTo(uuid(8), 2));
    await held.archive();
    await held.release();
    assertRefusal('thread-archived', await other.open(first));
    deepStrictEqual(await storedTexts(other, first), ['a']);
    const current = await other.current(first);
    ok(current.kind === 'current' && current.archived);
    await appendTexts(await other.fork(second, {}, { rolloutId: uuid(8), end: 2 as Ordinal }), 'c');
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
