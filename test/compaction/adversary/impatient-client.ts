import { setImmediate } from 'node:timers/promises';
import { providerDefaults } from '../../../src/core/config/providers/provider-config.ts';
import { responsesClient } from '../../../src/adapters/model/responses/client.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../src/ports/model.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { steppingClock } from '../../harness/fixed-parts.ts';
import { isAnyCompaction } from './is-any-compaction.ts';

/**
 * The client, save that requests of compactions go out by one that waits only a moment for the next event: a model that
 * says nothing is found out at once, and a slow machine does no harm to other requests.
 */
export function impatient(client: ModelClient, baseUrl: string): ModelClient {
  const quick = responsesClient({
    provider: { id: 'scripted', name: 'scripted', baseUrl, ...providerDefaults, streamIdleTimeoutMs: 60 },
    credentials: () => Promise.resolve({ kind: 'none' }),
    environment: {},
    clock: steppingClock(),
    random: () => 0.5,
  });
  const isOfCompaction = ({ body }: ModelRequest): boolean =>
    isAnyCompaction({ path: '', body: JSON.parse(Buffer.concat(body).toString('utf8')) as JsonObject });
  return {
    ...client,
    stream: (request, signal) =>
      isOfCompaction(request) ? arrived(quick.stream(request, signal)) : client.stream(request, signal),
  };
}

/** Its request is on the provider's list before the next one is sent, even if the client gave up before it was read. */
async function* arrived(events: AsyncIterable<ModelEvent>): AsyncIterable<ModelEvent> {
  try {
    yield* events;
  } finally {
    // The provider runs in this process: it takes a connection, its head and its body in a few rounds of the loop.
    for (let round = 0; round < 20; round += 1) await setImmediate();
  }
}
