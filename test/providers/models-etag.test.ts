import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { defaultAnswerLimits } from '../../src/core/config/defaults.ts';
import { socketReader } from '../../src/adapters/model/responses/socket-exchange.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

interface List {
  etag: string;
  window: number;
  /** As answers name it; absent: they do not. */
  named?: string;
}

/** A server whose list of models has a state, which its answers name. */
async function serverWith(list: List) {
  const script = () =>
    answer({
      items: [say('ok')],
      ...(list.named !== undefined && { headers: { 'x-models-etag': list.named } }),
    });
  const live = await LiveThread.in(script);
  const asked: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/v1/models') {
      asked.push(incoming.headers['if-none-match']);
      const data = [{ id: 'strange', context_length: list.window }];
      return void outgoing.writeHead(200, { etag: list.etag }).end(JSON.stringify({ data }));
    }
    const { method, headers, url = '' } = incoming;
    const passed = request(`${live.model.url}${url.replace(/^\/v1/, '')}`, { method, headers }, (from) => {
      outgoing.writeHead(from.statusCode ?? 500, from.headers);
      from.pipe(outgoing);
    });
    return void incoming.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  await live.open({
    config: ['model="strange"', `model_providers.scripted.base_url="http://127.0.0.1:${port}/v1"`],
  });
  return { live, asked };
}

function windowOf(live: LiveThread): number {
  const { identity } = live.thread.state.envelope as unknown as {
    identity: { model: { contextWindow: number } };
  };
  return identity.model.contextWindow;
}

test('an answer that names another state of the list lets Capstan read it again, for the next turn', async () => {
  const list: List = { etag: '"one"', window: 50_000, named: 'one' };
  const { live, asked } = await serverWith(list);
  await live.turn('first');
  await live.turn('second');
  expect([asked, windowOf(live)]).toEqual([[undefined], 50_000]);
  Object.assign(list, { etag: 'W/"two"', window: 90_000, named: 'two' });
  await live.turn('third');
  expect(windowOf(live)).toBe(50_000);
  await expect.poll(() => asked).toEqual([undefined, '"one"']);
  await expect
    .poll(async () => {
      await live.turn('fourth');
      return windowOf(live);
    })
    .toBe(90_000);
  expect(asked).toHaveLength(2);
});

test('a state that the list never has is asked for once', async () => {
  const { live, asked } = await serverWith({ etag: '"one"', window: 50_000, named: 'odd' });
  for (const text of ['first', 'second', 'third']) await live.turn(text);
  await expect.poll(() => asked.length).toBe(2);
  await live.turn('fourth');
  expect(asked).toHaveLength(2);
});

test('over a WebSocket, a message says what headers say over HTTP', () => {
  const reader = socketReader(defaultAnswerLimits, () => ({ now: 0, api: 'Responses API' }));
  const headers = { 'X-Models-Etag': 'one', 'openai-model': 'small' };
  expect(reader.event(Buffer.from(JSON.stringify({ type: 'codex.response.metadata', headers })))).toEqual([
    { kind: 'server-model', model: 'small' },
    { kind: 'models-etag', etag: 'one' },
  ]);
});
