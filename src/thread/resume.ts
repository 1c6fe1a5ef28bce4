import type { OpenRefused, Owned, ReadReport, RolloutStore } from '../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import type { Line } from '../protocol/line.ts';
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
  /** Hashes of blobs with tool sets that are not there any more, if any. */
  readonly missingBlobs?: readonly string[];
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

export type FoldedThread = Pick<ResumedThread, 'state' | 'skipped' | 'missingBlobs'>;

/** The state of a thread, or of what stands before a line of it, read from as near to its end as checkpoints allow. */
export async function foldThread(store: RolloutStore, id: ThreadId, to?: Ordinal): Promise<FoldedThread> {
  const search = searchStart();
  const start = await search.run(before(to, store.readBack(id, search.wanted)));
  const first = 0 as Ordinal;
  const until = to === undefined ? {} : { to };
  if (start.kind === 'start') return fold(emptyState, store.read(id, { from: first, ...until, ...concerned }));
  const head = await store.read(id, { from: first }).next();
  const meta = head.done === true ? emptyState : reduce(emptyState, head.value);
  return fold(meta, store.read(id, { from: start.line.ordinal ?? first, ...until, ...concerned }));
}

const concerned = { wanted: concernsState };

/** A thread may grow while it is read. */
async function* before(to: Ordinal | undefined, lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  for await (const line of lines) {
    if (to === undefined || line.ordinal === undefined || line.ordinal < to) yield line;
  }
}

async function fold(initial: ThreadState, lines: AsyncGenerator<Line, ReadReport>): Promise<FoldedThread> {
  let state = initial;
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return { state, ...next.value };
    state = reduce(state, next.value);
  }
}
