import { createDigester } from '../../src/model/digester.ts';
import { responsesEncoder } from '../../src/model/responses/encode.ts';
import { createComparison } from '../../src/replay/compare.ts';
import { rebuildRequests } from '../../src/replay/rebuild.ts';
import type { WatchedThread } from './watched-thread.ts';

/** How each request of the thread compares with what is rebuilt from its file. */
export async function replayed(live: WatchedThread): Promise<readonly string[]> {
  const verdictOn = createComparison(createDigester());
  const found: string[] = [];
  for await (const request of rebuildRequests(await live.lines(), () => responsesEncoder())) {
    const purpose = request.kind === 'rebuilt' ? (request.record.auxiliary?.purpose ?? 'step') : 'inferred';
    found.push(`${purpose} ${verdictOn(request).kind}`);
  }
  return found;
}
