import { deepStrictEqual, ok, rejects } from 'node:assert';
import { type ContractCase, first, heldBy, owned, refusedAs, revertTo, storedTexts, uuid, wordDrafts } from './kit.ts';

/** The code of the Fault that an older writer gets. */
const lost = { code: 'lease-lost' };

/** What is promised of the right to write. */
export const leaseCases: readonly ContractCase[] = [
  {
    part: 'rollouts',
    name: 'every lease of a thread has a larger epoch than the one before',
    async run({ store: { rollouts: store }, other: { rollouts: other } }) {
      const epochs: number[] = [];
      const created = owned(await store.create(first, {}));
      created.append(wordDrafts('a'));
      await created.close();
      epochs.push(created.epoch);
      for (const one of [other, store]) {
        const opened = owned(await one.open(first));
        await opened.close();
        const held = heldBy(await one.hold(first));
        await held.release();
        epochs.push(opened.epoch, held.epoch);
      }
      deepStrictEqual(
        epochs,
        [...new Set(epochs)].toSorted((a, b) => a - b),
      );
    },
  },
  {
    part: 'rollouts',
    name: 'what a writer appends after another one took over is refused',
    async run({ store: { rollouts: store }, other: { rollouts: other }, lapse }) {
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
      deepStrictEqual(
        newer.append(wordDrafts('b')).map(({ ordinal }) => ordinal),
        [2],
      );
      await newer.durable();
      await rejects(older.close(), lost);
      // The older one gave back nothing that was not its own.
      refusedAs('thread-locked', await store.open(first));
      await newer.close();
      deepStrictEqual(await storedTexts(store, first), ['a', 'b']);
      const next = owned(await store.open(first));
      next.append(wordDrafts('c'));
      await next.close();
      deepStrictEqual(await storedTexts(other, first), ['a', 'b', 'c']);
    },
  },
  {
    part: 'rollouts',
    name: 'a lease that lapses stays with its writer until another one comes',
    async run({ store: { rollouts: store }, lapse }) {
      if (lapse === undefined) return;
      const thread = owned(await store.create(first, {}));
      thread.append(wordDrafts('a'));
      await thread.durable();
      await lapse(first);
      thread.append(wordDrafts('b'));
      await thread.close();
      deepStrictEqual(await storedTexts(store, first), ['a', 'b']);
    },
  },
  {
    part: 'rollouts',
    name: 'a thread that another writer took over is not reverted, archived or deleted',
    async run({ store: { rollouts: store }, other: { rollouts: other }, lapse }) {
      if (lapse === undefined) return;
      const written = owned(await store.create(first, {}));
      written.append(wordDrafts('a', 'b'));
      await written.close();
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
  },
];
