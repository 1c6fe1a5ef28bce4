import { deepStrictEqual, ok, rejects } from 'node:assert';
import {
  first,
  heldBy,
  ordinals,
  owned,
  refusedAs,
  revertTo,
  rolloutCasesOf,
  storedTexts,
  uuid,
  wordDrafts,
  writeTo,
} from './kit.ts';

/** The code of the Fault that an older writer gets. */
const lost = { code: 'lease-lost' };

/** What is promised of the right to write. */
export const leaseCases = rolloutCasesOf({
  'every lease of a thread has a larger epoch than the one before': async ({ store, other }) => {
    const created = owned(await store.create(first, {}));
    await writeTo(created, 'a');
    const epochs = [created.epoch];
    for (const one of [other, store]) {
      const opened = owned(await one.open(first));
      await opened.close();
      const held = heldBy(await one.hold(first));
      await held.release();
      epochs.push(opened.epoch, held.epoch);
    }
    ok(epochs.every((epoch, at) => at === 0 || epoch > epochs[at - 1]!));
  },
  'what a writer appends after another one took over is refused': async ({ store, other, lapse }) => {
    if (lapse === undefined) return;
    const older = owned(await store.create(first, {}));
    older.append(wordDrafts('a'));
    await older.durable();
    await lapse(first);
    const newer = owned(await other.open(first));
    ok(newer.epoch > older.epoch);
    older.append(wordDrafts('late'));
    await rejects(older.durable(), lost);
    // From then on, too.
    older.append(wordDrafts('later'));
    await rejects(older.durable(), lost);
    deepStrictEqual(ordinals(newer.append(wordDrafts('b'))), [2]);
    await newer.durable();
    await rejects(older.close(), lost);
    // The older one gave back nothing that was not its own.
    refusedAs('thread-locked', await store.open(first));
    await newer.close();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b']);
    await writeTo(await store.open(first), 'c');
    deepStrictEqual(await storedTexts(other, first), ['a', 'b', 'c']);
  },
  'a lease that lapses stays with its writer until another one comes': async ({ store, lapse }) => {
    if (lapse === undefined) return;
    const thread = owned(await store.create(first, {}));
    thread.append(wordDrafts('a'));
    await thread.durable();
    await lapse(first);
    thread.append(wordDrafts('b'));
    await thread.close();
    deepStrictEqual(await storedTexts(store, first), ['a', 'b']);
  },
  'a thread that another writer took over is not reverted, archived or deleted': async ({ store, other, lapse }) => {
    if (lapse === undefined) return;
    await writeTo(await store.create(first, {}), 'a', 'b');
    const held = heldBy(await store.hold(first));
    await lapse(first);
    const newer = owned(await other.open(first));
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
