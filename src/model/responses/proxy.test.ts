import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { providerDefaults } from '../../config/providers.ts';
import type { ModelEvent } from '../../ports/model-client.ts';
import { answer, say, startScriptedModel } from '../../testing/index.ts';
import type { Environment } from './provider.ts';
import { proxyOf } from './proxy.ts';
import { targetOf } from './target.ts';
import { responsesClient } from './transport.ts';

const provider = (baseUrl: string) => ({ ...providerDefaults, id: 'p', name: 'P', baseUrl, requestMaxRetries: 0 });

const none = [undefined];
test.each<[string, Environment, readonly unknown[]]>([
  ['https://a.test', {}, none],
  ['https://a.test', { HTTPS_PROXY: '', HTTP_PROXY: 'http://p:1' }, none],
  ['https://a.test', { HTTPS_PROXY: 'http://p:1' }, ['HTTPS_PROXY', { HTTPS_PROXY: 'http://p:1' }]],
  ['http://a.test', { http_proxy: 'p:1', HTTP_PROXY: 'http://q:2' }, ['HTTP_PROXY', { HTTP_PROXY: 'http://p:1' }]],
  [
    'http://a.test',
    { HTTP_PROXY: 'http://p:1', NO_PROXY: 'b.test' },
    ['HTTP_PROXY', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'b.test' }],
  ],
  ['http://localhost:11434', { HTTP_PROXY: 'http://p:1' }, none],
  ['http://127.0.0.1:11434', { HTTP_PROXY: 'http://p:1' }, none],
  ['http://[::1]:11434', { HTTP_PROXY: 'http://p:1' }, none],
])('%s with %j', (base, environment, expected) => {
  const proxy = proxyOf(targetOf(provider(base), 'responses')!, environment);
  expect(proxy === undefined ? none : [proxy.variable, proxy.env]).toEqual(expected);
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A proxy on this machine that sends everything to one port, and makes no tunnels. */
async function startProxy(port: number): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { pathname } = new URL(incoming.url!);
    const { method, headers } = incoming;
    const onward = httpRequest({ host: '127.0.0.1', port, path: pathname, method, headers }, (back) => {
      outgoing.writeHead(back.statusCode!, back.headers);
      back.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function ask(baseUrl: string, environment: Environment): Promise<ModelEvent> {
  const credentials = () => Promise.resolve({ kind: 'none' } as const);
  const client = responsesClient({
    provider: provider(baseUrl),
    credentials,
    environment,
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    random: () => 0,
  });
  const events: ModelEvent[] = [];
  const request = { body: [Buffer.from('{}')], headers: {} };
  for await (const event of client.stream(request, new AbortController().signal)) events.push(event);
  return events.at(-1)!;
}

const failure = (message: string, next: string) => ({
  kind: 'failed',
  failure: expect.objectContaining({ code: 'connection-failed', message, next }),
});

test('requests go through it', async () => {
  const model = await startScriptedModel([answer({ items: [say('Hello.')] })]);
  const { pathname, port } = new URL(model.url);
  const proxy = await startProxy(Number(port));
  expect(await ask(`http://model.test${pathname}`, { HTTP_PROXY: proxy.url })).toMatchObject({ kind: 'completed' });
  expect(proxy.asked).toEqual([`POST http://model.test${pathname}/responses`]);
  await model.close();
});

test('one that refuses, is not there or has no address is told', async () => {
  const proxy = await startProxy(0);
  const https = 'https://model.test/v1';
  const advice = 'Check the proxy in HTTPS_PROXY as well.';
  expect(await ask(https, { HTTPS_PROXY: proxy.url })).toEqual(
    failure(
      'The proxy on the way to https://model.test does not let the request pass (ERR_PROXY_TUNNEL).',
      `Ask whoever runs it, or list the host in NO_PROXY. ${advice}`,
    ),
  );
  expect(proxy.asked).toEqual(['CONNECT model.test:443']);
  expect(await ask(https, { HTTPS_PROXY: 'http://[' })).toEqual(
    failure(
      'The proxy on the way to https://model.test has no address that can be used (ERR_PROXY_INVALID_CONFIG).',
      `An address is like http://HOST:PORT. ${advice}`,
    ),
  );
  const gone = await startProxy(0);
  servers.pop()!.close();
  expect(await ask('http://model.test', { HTTP_PROXY: gone.url })).toEqual(
    failure(
      'Nothing listens at http://model.test: the connection was refused (ECONNREFUSED).',
      'Start the server, or correct the base URL of the provider. Check the proxy in HTTP_PROXY as well.',
    ),
  );
});
