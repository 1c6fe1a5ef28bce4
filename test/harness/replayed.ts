import { createDigester } from '../../src/adapters/model/request-digester.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import { createRequestComparison } from '../../src/core/replay/compare-requests.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import type { WatchedThread } from './watched-thread.ts';

/** Compares each request of the thread with the one that is rebuilt from its file. */
export async function replayed(live: WatchedThread): Promise<readonly string[]> {
  const verdictOn = createRequestComparison(createDigester());
  const found: string[] = [];
  for await (const request of rebuildRequests(await live.lines(), () => responsesEncoder())) {
    const purpose = request.kind === 'rebuilt' ? (request.record.auxiliary?.purpose ?? 'step') : 'inferred';
    found.push(`${purpose} ${verdictOn(request).kind}`);
  }
  return found;
}
