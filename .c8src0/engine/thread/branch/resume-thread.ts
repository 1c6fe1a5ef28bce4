import type {
  OpenRefused,
  Owned,
  ReadReport,
  RolloutStore,
  TailOptions,
  TailSearch,
} from '../../../ports/thread-store.ts';
import { defined } from '../../../base/objects.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { Line } from '../../../protocol/line.ts';
import { isReadableByAll } from '../../../core/state/checkpoints/opaque-checkpoint.ts';
import { newestCheckpointSearch } from '../../../core/state/checkpoints/newest-checkpoint.ts';
import { concernsState, reduce } from '../../../core/state/reduce.ts';
import { type HistoryBehindCheckpoint, emptyThreadState, type ThreadState } from '../../../core/state/thread-state.ts';

/** A thread whose writer this process is, with the state from its file. */
export interface ResumedThread {
  readonly kind: 'resumed';
  readonly id: ThreadId;
  readonly owned: Owned;
  readonly state: ThreadState;
  /** Unreadable lines. */
  readonly skipped: number;
  readonly tooLong?: NonNullable<ReadReport['tooLong']>;
  readonly missingBlobs?: readonly string[];
  /** The part of another thread whose lines this fork continues, if it has no copy of them. */
  readonly takenFrom?: ThreadPrefix;
}

export async function openThread(store: RolloutStore, id: ThreadId): Promise<ResumedThread | OpenRefused> {
  const owned = await store.open(id);
  if (owned.kind === 'refused') return owned;
  try {
    return { kind: 'resumed', id, owned, ...(await loadThreadState(store, id)) };
  } catch (error) {
    // A caller that tries again must not find the thread held by us.
    await owned.close();
    throw error;
  }
}

export type LoadedThreadState = Pick<ResumedThread, 'state' | 'skipped' | 'tooLong' | 'missingBlobs'>;

/** The state of a thread, or of its part before a line, read from as near to its end as checkpoints allow. */
export function loadThreadState(store: RolloutStore, id: ThreadId, to?: Ordinal): Promise<LoadedThreadState> {
  return foldFrom(store, { id, to }, newestCheckpointSearch());
}

export type ThreadPrefix = { readonly id: ThreadId; readonly to?: Ordinal };

/** The history behind the opaque checkpoint. Undefined if there is none, or nothing that every provider can read. */
export async function readHistoryBehindCheckpoint(
  store: RolloutStore,
  part: ThreadPrefix,
): Promise<HistoryBehindCheckpoint | undefined> {
  const { behind } = (await foldFrom(store, part, newestCheckpointSearch({ behind: true }))).state;
  return behind !== undefined && isReadableByAll(behind) ? behind : undefined;
}

async function foldFrom(store: RolloutStore, { id, to }: ThreadPrefix, search: TailSearch): Promise<LoadedThreadState> {
  const options = { wanted: concernsState, ...defined({ to }) };
  const read = store.readTail?.bind(store) ?? ((...given) => readTwice(store, ...given));
  const lines = read(id, search, options);
  let state = emptyThreadState;
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return { state, ...next.value };
    for (const line of next.value) state = reduce(state, line);
  }
}

async function* readTwice(
  store: RolloutStore,
  id: ThreadId,
  search: TailSearch,
  options: TailOptions,
): AsyncGenerator<readonly Line[], ReadReport> {
  const from = await startOf(store, id, search, options);
  if (from > 0) {
    const head = await store.read(id, { from: 0 as Ordinal }).next();
    if (head.done !== true) yield [head.value];
  }
  const lines = store.read(id, { from, ...options });
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return next.value;
    yield [next.value];
  }
}

async function startOf(store: RolloutStore, id: ThreadId, search: TailSearch, { to }: TailOptions): Promise<Ordinal> {
  for await (const line of store.readBack(id, (kind) => search.wanted(kind))) {
    // A thread may grow while it is read.
    const isBefore = to === undefined || line.ordinal === undefined || line.ordinal < to;
    if (isBefore && search.beginsAt(line)) return line.ordinal ?? (0 as Ordinal);
  }
  return 0 as Ordinal;
}
