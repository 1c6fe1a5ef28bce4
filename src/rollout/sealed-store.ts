import type { OpenRefused, Owned, RolloutStore } from '../ports/rollout-store.ts';
import type { Seals } from '../ports/seals.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { LineDraft } from '../protocol/line.ts';
import { claimIn, forkIn, isSaidAgain, sealedSource, sealSubject, sealText, withSeal } from '../state/sealed-lines.ts';
import { withBlobs } from './blobs/blobs-store.ts';
import { ownedFacts } from './lines/owned-facts.ts';

/** The rollouts of a store as threads use them: lines are sealed, and what is large is kept in blobs. */
export function threadRollouts({ rollouts, blobs }: ThreadStore, seals: Seals): RolloutStore {
  return withSeals(withBlobs(rollouts, blobs), seals);
}

/**
 * A store that seals the lines on which the engine acts later. Reading is not its business: code that acts on a line
 * asks `Seals` first.
 */
export function withSeals(below: RolloutStore, seals: Seals): RolloutStore {
  async function sealing(
    id: ThreadId,
    meta: JsonObject | undefined,
    opened: Promise<Owned | OpenRefused>,
  ): Promise<Owned | OpenRefused> {
    const owned = await opened;
    if (owned.kind === 'refused') return owned;
    const subject = sealSubject(id, meta ?? owned.meta ?? {});
    return {
      ...ownedFacts(owned),
      append: (drafts) => owned.append(drafts.map((draft) => sealed(draft, subject, seals))),
      durable: () => owned.durable(),
      close: () => owned.close(),
    };
  }
  return {
    create: (id, meta) => sealing(id, {}, below.create(id, meta)),
    fork(id, meta, from) {
      const said = forkIn(meta);
      const seal = said === undefined ? undefined : seals.seal(sealText(sealSubject(id, meta), said.claim));
      const described = seal === undefined ? meta : sealedSource(meta, seal);
      return sealing(id, described, below.fork(id, described, from));
    },
    open: (id) => sealing(id, undefined, below.open(id)),
    read: (id, options) => below.read(id, options),
    readBack: (id, wanted) => below.readBack(id, wanted),
    ...(below.readTail && { readTail: below.readTail.bind(below) }),
    current: (id) => below.current(id),
    ...(below.aside && { aside: below.aside.bind(below) }),
    async hold(id) {
      const held = await below.hold(id);
      if (held.kind === 'refused') return held;
      const subject = sealSubject(id, held.current.meta);
      return {
        kind: 'held',
        epoch: held.epoch,
        current: held.current,
        revert: ({ drafts, ...revert }) =>
          held.revert({ ...revert, drafts: drafts.map((draft) => sealed(draft, subject, seals)) }),
        archive: () => held.archive(),
        unarchive: () => held.unarchive(),
        forks: () => held.forks(),
        delete: () => held.delete(),
        release: () => held.release(),
      };
    },
  };
}

/** A draft that has a seal is a line that is said again: see `saidAgain`. */
function sealed(draft: LineDraft, subject: string, seals: Seals): LineDraft {
  const said = claimIn(draft);
  const seal = said === undefined || isSaidAgain(draft) ? undefined : seals.seal(sealText(subject, said.claim));
  return seal === undefined ? draft : withSeal(draft, seal);
}
