import type { HeldThread, OpenRefused, RolloutStore } from '../ports/rollout-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';

export type LifecycleRefused = Outcome & { readonly kind: 'refused' };

export interface ThreadArchived {
  readonly kind: 'archived' | 'unarchived';
  readonly id: ThreadId;
  readonly location: string;
}

export interface ThreadDeleted {
  readonly kind: 'deleted';
  /** The thread, and what was deleted with it. */
  readonly ids: readonly ThreadId[];
  readonly locations: readonly string[];
}

/** Puts a thread away: it is not offered any more, can be read and forked, and comes back when it is wanted. */
export async function archiveThread(store: RolloutStore, id: ThreadId): Promise<ThreadArchived | LifecycleRefused> {
  return holding(store, id, async (held) => {
    if (held.current.archived) return already(id, 'archived');
    await held.archive();
    return moved(store, id, 'archived');
  });
}

export async function unarchiveThread(store: RolloutStore, id: ThreadId): Promise<ThreadArchived | LifecycleRefused> {
  return holding(store, id, async (held) => {
    const state = await held.unarchive();
    if (!held.current.archived && state === 'active') return already(id, 'active');
    return moved(store, id, 'unarchived');
  });
}

/**
 * Removes a thread for good. Threads that continue from it would lose their beginning: as long as there are any, it is
 * refused, or with `force` they are deleted too.
 */
export async function deleteThread(
  store: RolloutStore,
  id: ThreadId,
  { force }: { readonly force: boolean },
): Promise<ThreadDeleted | LifecycleRefused> {
  const held: HeldThread[] = [];
  try {
    const ids = [id];
    for (const next of ids) {
      const thread = await store.hold(next);
      if (thread.kind === 'refused') return thread;
      held.push(thread);
      const forks = await thread.forks();
      if (forks.length > 0 && !force) return referred(id, forks);
      for (const fork of forks) if (!ids.includes(fork)) ids.push(fork);
    }
    const locations: string[] = [];
    // Forks first: at no moment is one of them there without its beginning.
    for (const thread of held.toReversed()) locations.push(...(await thread.delete()));
    return { kind: 'deleted', ids, locations };
  } finally {
    for (const thread of held) await thread.release();
  }
}

async function holding<Result>(
  store: RolloutStore,
  id: ThreadId,
  run: (held: HeldThread) => Promise<Result>,
): Promise<Result | OpenRefused> {
  const held = await store.hold(id);
  return held.kind === 'refused' ? held : run(held).finally(() => held.release());
}

async function moved(store: RolloutStore, id: ThreadId, kind: ThreadArchived['kind']) {
  const current = await store.current(id);
  return current.kind === 'refused' ? current : { kind, id, location: current.location };
}

function already(id: ThreadId, what: 'archived' | 'active'): LifecycleRefused {
  const message = what === 'archived' ? `Thread ${id} is already archived.` : `Thread ${id} is not archived.`;
  return { kind: 'refused', code: `thread-${what}`, message, next: 'Nothing has changed.' };
}

function referred(id: ThreadId, forks: readonly ThreadId[]): LifecycleRefused {
  const many = forks.length > 5 ? `${forks.slice(0, 5).join(', ')} and ${forks.length - 5} more` : forks.join(', ');
  const others = forks.length === 1 ? 'Another thread continues' : `${forks.length} other threads continue`;
  const their = forks.length === 1 ? 'its' : 'their';
  const message = `${others} from thread ${id} and would lose ${their} beginning: ${many}.`;
  const next = `Archive it instead (\`capstan threads archive ${id}\`), so that its forks keep working. Or delete the forks first, or everything together with --force.`;
  return { kind: 'refused', code: 'thread-referenced', message, next };
}
