import { expect, it } from 'vitest';
import { createServer } from 'node:http';
import { answer, httpError, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const headers = { 'x-codex-primary-used-percent': '88', 'x-codex-primary-window-minutes': '300' };
const limits = [{ name: 'primary', usedPercent: 88, windowMinutes: 300 }];

it('what a provider says of its limits with a refusal is kept, shown, and survives a resume', async () => {
  const refusal = httpError({
    status: 429,
    headers,
    body: { error: { type: 'usage_limit_reached', message: 'full' } },
  });
  const live = await LiveThread.in([refusal, answer({ items: [say('Done.')] })]);
  expect(await live.turn('one')).toMatchObject({ kind: 'failed', outcome: { code: 'usage-limit' } });
  expect(live.thread.usage.rateLimits).toEqual({ limits });
  await live.turn('two');
  await live.open();
  expect(live.thread.usage.rateLimits).toEqual({ limits });
  await live.close();
  const { stdout } = await live.place.run('context');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Limits of the provider, as it said last: primary of 300 minutes 88 % used.',
  );
});

it('and with an answer', async () => {
  const body =
    'data: {"type":"response.completed","response":{"id":"r","usage":{"input_tokens":5,"output_tokens":1}}}\n\n';
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).end(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const live = await LiveThread.in([]);
  await live.open({ config: [`model_providers.scripted.base_url="http://127.0.0.1:${port}"`] });
  await live.turn('one');
  expect(live.events.find(({ kind }) => kind === 'usage')).toMatchObject({ rateLimits: { limits } });
  await live.close();
  await new Promise((closed) => server.close(closed));
});
