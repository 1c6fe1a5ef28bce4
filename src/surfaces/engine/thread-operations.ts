import type { Ids } from '../../ports/ids.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import type { ThreadChange, ThreadDirectory } from '../../ports/thread-directory.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { oddText } from '../../protocol/odd-text.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import {
  archiveThread,
  deleteThread,
  type ThreadArchived,
  type ThreadDeleted,
  unarchiveThread,
} from '../../rollout/thread-lifecycle.ts';
import { type PinsChanged, pinNote, unpinNote } from '../../thread/branch/pinned-notes.ts';
import { unprovenNotice } from './unproven-notice.ts';
import { rollBack, undoRollback } from '../../thread/branch/revert.ts';
import type { RollbackTo, RollbackUndone, RolledBack } from '../../thread/branch/rollback-range.ts';
import type { EngineRefused } from './engine-refused.ts';

export interface ThreadOperationsParts {
  readonly store: RolloutStore;
  readonly directory: ThreadDirectory;
  readonly seals: Seals;
  readonly ids: Ids;
}

export interface ThreadRenamed {
  readonly kind: 'renamed';
  readonly id: ThreadId;
  readonly name: string;
}

/** What became of the notes of a thread; what was left out of them is a notice. */
export type PinsChange = Omit<PinsChanged, 'unproven'>;

/** What was done, and what the user should know beside it. */
export type Done<Result> = Result & { readonly notices: readonly Outcome[] };

export interface Forceful {
  readonly force?: boolean;
}

/** What can be done to a thread as a whole. The thread comes first; lists of other programs are set right afterwards. */
export class ThreadOperations {
  readonly #parts: ThreadOperationsParts;

  constructor(parts: ThreadOperationsParts) {
    this.#parts = parts;
  }

  async rollback(id: ThreadId, to: RollbackTo): Promise<Done<RolledBack> | EngineRefused> {
    const done = await rollBack(this.#parts.store, this.#parts.ids, id, to);
    return done.kind === 'refused' ? refused(done) : this.#told(done, [{ kind: 'moved', id }]);
  }

  async undoRollback(id: ThreadId, { force = false }: Forceful): Promise<Done<RollbackUndone> | EngineRefused> {
    const done = await undoRollback(this.#parts.store, this.#parts.ids, id, { force });
    return done.kind === 'refused' ? refused(done) : this.#told(done, [{ kind: 'moved', id }]);
  }

  async archive(id: ThreadId): Promise<Done<ThreadArchived> | EngineRefused> {
    const done = await archiveThread(this.#parts.store, id);
    return done.kind === 'refused' ? refused(done) : this.#told(done, [{ kind: 'archived', id }]);
  }

  async unarchive(id: ThreadId): Promise<Done<ThreadArchived> | EngineRefused> {
    const done = await unarchiveThread(this.#parts.store, id);
    return done.kind === 'refused' ? refused(done) : this.#told(done, [{ kind: 'moved', id }]);
  }

  async delete(id: ThreadId, { force = false }: Forceful): Promise<Done<ThreadDeleted> | EngineRefused> {
    const done = await deleteThread(this.#parts.store, id, { force });
    if (done.kind === 'refused') return refused(done);
    return this.#told(
      done,
      done.ids.map((gone) => ({ kind: 'deleted', id: gone })),
    );
  }

  async rename(id: ThreadId, name: string): Promise<Done<ThreadRenamed> | EngineRefused> {
    const known = await this.#parts.store.current(id);
    if (known.kind === 'refused') return refused(known);
    const given = name.trim();
    const odd = oddText(given);
    if (odd !== undefined) {
      return refused({ code: 'odd-name', message: `The name holds ${odd}.`, next: 'Choose a name without it.' });
    }
    const problem = await this.#parts.directory.rename(id, given);
    if (problem !== undefined) return refused(problem);
    return this.#told({ kind: 'renamed', id, name: given } as const, [{ kind: 'named', id, name: given }]);
  }

  async pin(id: ThreadId, text: string): Promise<Done<PinsChange> | EngineRefused> {
    return pinsChanged(await pinNote(this.#parts, this.#parts.ids, id, text));
  }

  async unpin(id: ThreadId, which: string): Promise<Done<PinsChange> | EngineRefused> {
    return pinsChanged(await unpinNote(this.#parts, id, which));
  }

  async #told<Result>(done: Result, changes: readonly ThreadChange[]): Promise<Done<Result>> {
    return { ...done, notices: (await this.#parts.directory.changed?.(changes)) ?? [] };
  }
}

function pinsChanged(done: PinsChanged | (Outcome & { readonly kind: 'refused' })): Done<PinsChange> | EngineRefused {
  if (done.kind === 'refused') return refused(done);
  const { unproven, ...changed } = done;
  const notice = unprovenNotice(done.id, unproven);
  return { ...changed, notices: notice === undefined ? [] : [notice] };
}

/** Outcome and mark of refusal stand in one object below, and apart on surfaces. */
function refused({ code, message, next }: Outcome): EngineRefused {
  return { kind: 'refused', outcome: { code, message, next } };
}
