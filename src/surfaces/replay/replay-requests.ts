import type { Item } from '../../protocol/item.ts';
import type { Line } from '../../protocol/line.ts';
import { oncePerObject } from '../../protocol/once-per-object.ts';
import { createComparison } from '../../replay/compare.ts';
import { type InferredRequest, type RebuiltRequest, rebuildRequests } from '../../replay/rebuild.ts';
import { loadReplayParts } from '../engine/replay-parts.ts';
import { type ReplayedRequest, replayedRequest } from './replayed-request.ts';

/**
 * Rebuilds every request of a thread from its lines, in order, and compares it with what was sent. `turn`: only those of
 * that turn.
 */
export async function* replayRequests(
  lines: AsyncIterable<Line> | Iterable<Line>,
  { turn: wanted }: { readonly turn?: number } = {},
): AsyncGenerator<{ readonly request: RebuiltRequest | InferredRequest; readonly shown: ReplayedRequest }> {
  const { digester, encoderOf, itemBytes } = await loadReplayParts();
  const verdictOn = createComparison(digester);
  // An item stands in every request after its own.
  const itemSize = oncePerObject((item: Item) => itemBytes(item).length);
  let number = 0;
  const isWanted = (turn: number): boolean => wanted === undefined || turn === wanted;
  const encoderFor = (version: string, turn: number) => (isWanted(turn) ? encoderOf(version) : undefined);
  for await (const request of rebuildRequests(lines, encoderFor)) {
    number++;
    // Also of those that are not asked for: each record says only what is new to it.
    const verdict = verdictOn(request);
    if (isWanted(request.turn)) yield { request, shown: replayedRequest(request, verdict, { number, itemSize }) };
  }
}
