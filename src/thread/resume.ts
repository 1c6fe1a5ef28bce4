import type { OpenRefused, Owned, RolloutStore } from '../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import { searchStart } from '../state/locate.ts';
import { concernsState, reduce } from '../state/reduce.ts';
import { emptyState, type ThreadState } from '../state/thread-state.ts';

/** A thread whose writer we are, with the state that its file adds up to. */
export interface ResumedThread {
  readonly kind: 'resumed';
  readonly id: ThreadId;
  readonly owned: Owned;
  readonly state: ThreadState;
  /** Lines that could not be read and were passed over. */
  readonly skipped: number;
  /** Hashes of blobs with tool sets that are not there any more. */
  readonly missingBlobs: readonly string[];
}

export async function openThread(store: RolloutStore, id: ThreadId): Promise<ResumedThread | OpenRefused> {
  const owned = await store.open(id);
  if (owned.kind === 'refused') return owned;
  try {
    return { kind: 'resumed', id, owned, ...(await foldThread(store, id)) };
  } catch (error) {
    // Whoever tries again must not find the thread held by us.
    await owned.close();
    throw error;
  }
}

type Folded = Pick<ResumedThread, 'state' | 'skipped' | 'missingBlobs'>;

/** The state of a thread, read from as near to its end as its checkpoints allow. */
async function foldThread(store: RolloutStore, id: ThreadId): Promise<Folded> {
  const search = searchStart();
  const start = await search.run(store.readBack(id, search.wanted));
  const first = 0 as Ordinal;
  if (start.kind === 'start') return fold(store, id, emptyState, first);
  const head = await store.read(id, { from: first }).next();
  const meta = head.done === true ? emptyState : reduce(emptyState, head.value);
  return fold(store, id, meta, start.line.ordinal ?? first);
}

async function fold(store: RolloutStore, id: ThreadId, initial: ThreadState, from: Ordinal): Promise<Folded> {
  const lines = store.read(id, { from, wanted: concernsState });
  let state = initial;
  for (;;) {
    const next = await lines.next();
    if (next.done === true) {
      const { skipped, missingBlobs = [] } = next.value;
      return { state, skipped, missingBlobs };
    }
    state = reduce(state, next.value);
  }
}
