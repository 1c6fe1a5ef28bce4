import type { AsideRollout, RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';

/** What rollbacks took from a thread: the model saw it all the same. */
export interface TakenBackRequests {
  /** How many requests Capstan had sent there. */
  readonly requests: number;
  readonly parts: readonly TakenBackPart[];
  /** Why they could not be counted: a rollout that the thread left cannot be read. The thread itself does not need it. */
  readonly problem?: Outcome;
}

/** A rollout that the thread left. */
export interface TakenBackPart extends Omit<AsideRollout, 'rolloutId'> {
  /** The thread as it was when it was left, from its first line on. */
  lines(): AsyncGenerator<Line>;
}

/** Only the records of requests are read, so this costs little. */
export async function readTakenBack(store: Left, id: ThreadId): Promise<TakenBackRequests> {
  try {
    return await countTakenBack(store, id);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, next } = error;
    return { requests: 0, parts: [], problem: { code, message, next } };
  }
}

type Left = Pick<RolloutStore, 'read' | 'aside'>;

async function countTakenBack(store: Left, id: ThreadId): Promise<TakenBackRequests> {
  let requests = 0;
  const parts: TakenBackPart[] = [];
  for (const { rolloutId, location, from } of (await store.aside?.(id)) ?? []) {
    let own = 0;
    const wanted = ({ type }: { readonly type: string }): boolean => type === lineType.request;
    for await (const { type } of store.read(id, { rolloutId, from, wanted })) own += type === lineType.request ? 1 : 0;
    if (own === 0) continue;
    requests += own;
    parts.push({ location, from, lines: () => store.read(id, { rolloutId, from: 0 as Ordinal }) });
  }
  return { requests, parts };
}
