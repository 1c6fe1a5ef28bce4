import type { Item } from '../../protocol/item.ts';
import type { Line } from '../../protocol/line.ts';
import { oncePerObject } from '../../protocol/once-per-object.ts';
import { createComparison } from '../../replay/compare.ts';
import { type InferredRequest, type RebuiltRequest, rebuildRequests } from '../../replay/rebuild.ts';
import { loadReplayParts } from '../engine/replay-parts.ts';
import { type ReplayedRequest, replayedRequest } from './replayed-request.ts';

/** Rebuilds every request of a thread from its lines, in order, and compares it with what was sent. */
export async function* replayRequests(
  lines: AsyncIterable<Line>,
): AsyncGenerator<{ readonly request: RebuiltRequest | InferredRequest; readonly shown: ReplayedRequest }> {
  const { digester, encoderOf, itemBytes } = await loadReplayParts();
  const verdictOn = createComparison(digester);
  // An item stands in every request after its own.
  const itemSize = oncePerObject((item: Item) => itemBytes(item).length);
  let number = 0;
  for await (const request of rebuildRequests(lines, encoderOf)) {
    number++;
    yield { request, shown: replayedRequest(request, verdictOn(request), { number, itemSize }) };
  }
}
