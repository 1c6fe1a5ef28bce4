import type { AsideRollout, RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { type Line, lineType } from '../../protocol/line.ts';

/** What rollbacks took from a thread: the model saw it all the same. */
export interface TakenBackRequests {
  /** How many requests Capstan had sent there. */
  readonly requests: number;
  readonly parts: readonly TakenBackPart[];
}

/** A rollout that the thread left. */
export interface TakenBackPart extends Omit<AsideRollout, 'rolloutId'> {
  /** The thread as it was when it was left, from its first line on. */
  lines(): AsyncGenerator<Line>;
}

/** Only the records of requests are read, so this costs little. */
export async function readTakenBack(
  store: Pick<RolloutStore, 'read' | 'aside'>,
  id: ThreadId,
): Promise<TakenBackRequests> {
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
