import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { LiveThread } from '../harness/live-thread.ts';

const error = { code: 'insufficient_quota', message: 'No credit.' };

it.each([
  { type: 'response.failed', response: { error } },
  { type: 'error', ...error },
])('a failure counts when its event comes, and not when the connection closes: $type', async (failed) => {
  const server = createServer((request, response) => {
    request.resume();
    // It stays open.
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(failed)}\n\n`),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const live = await LiveThread.in([]);
  await live.open({ config: [`model_providers.scripted.base_url="http://127.0.0.1:${port}"`] });
  expect(await live.turn('one')).toMatchObject({
    kind: 'failed',
    outcome: { code: 'usage-limit', message: 'No credit.' },
  });
  await live.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});
