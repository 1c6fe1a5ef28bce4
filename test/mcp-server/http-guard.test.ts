import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { serveHttp } from '../../src/surfaces/servers/mcp/wire/serve-http.ts';
import { connected } from './clients.ts';
import { fakeApp } from './fake-app.ts';
import { envelope, initialize, toolCall } from './raw-client.ts';
import { call, text, until } from './suite.ts';

const notes: string[] = [];
const served = {
  app: fakeApp((note) => void notes.push(note)),
  listsAliases: false,
  report: (problem: string) => void notes.push(`problem: ${problem}`),
};
const limits = { most: 3, idleMs: 3000, abandonedMs: 500, lookEveryMs: 50 };
const token = 'a-token-of-the-test';
const server = await serveHttp(served, { host: '127.0.0.1', port: 0, token });
const strict = await serveHttp(served, { host: '127.0.0.1', port: 0, token, limits });
afterAll(() => Promise.all([server.close(), strict.close()]));

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const usual = {
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** With headers that `fetch` would not send. */
function send(
  headers: Readonly<Record<string, string>>,
  body: string,
  method = 'POST',
  url = server.url,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on('error', reject).end(body);
  });
}

const hello = JSON.stringify(initialize);

test.each([
  ['no token', { ...usual, authorization: '' }, 401],
  ['a wrong token', { ...usual, authorization: 'Bearer nonsense' }, 401],
  ['the token in another scheme', { ...usual, authorization: `Basic ${token}` }, 401],
  ['the host of a page that was rebound to this machine', { ...usual, host: 'evil.example' }, 403],
  ['the page of another site', { ...usual, origin: 'https://evil.example' }, 403],
  ['a page without an origin', { ...usual, origin: 'null' }, 403],
])('a request with %s is refused', async (_case, headers, status) => {
  const reply = await send(headers, hello);
  expect(reply.status).toBe(status);
  expect(reply.body).not.toContain(token);
});

test('a request for another path is refused, and one that is not JSON', async () => {
  expect((await send(usual, hello, 'POST', `${server.url}/more`)).status).toBe(404);
  expect(await send(usual, '{"jsonrpc":')).toMatchObject({ status: 400 });
  expect(await send({ ...usual, 'content-type': 'text/plain' }, hello)).toMatchObject({ status: 415 });
});

test('a body that nests deep is refused without being parsed, and the next request is answered', async () => {
  const nested = `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":${nested}}}}`;
  const reply = await send(usual, body);
  expect([reply.status, reply.body]).toEqual([400, expect.stringContaining('more than 100 levels')]);
  expect((await send(usual, hello)).status).toBe(200);
});

test('a body of 50 MB is refused with an answer that its client can read', async () => {
  const body = JSON.stringify(toolCall(1, 'echo', { text: 'x'.repeat(50_000_000) }));
  for (let round = 0; round < 4; round++) {
    const reply = await send(usual, body);
    expect([reply.status, reply.body]).toEqual([413, expect.stringContaining('at most 16 MiB')]);
  }
  await expectAlive();
});

async function expectAlive(): Promise<void> {
  const meta = { _meta: envelope };
  const headers = { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  const reply = await send(headers, JSON.stringify(toolCall(1, 'echo', { text: 'alive' }, meta)));
  expect(JSON.parse(reply.body)).toMatchObject({ result: { structuredContent: { said: 'alive' } } });
}

async function session(url = server.url): Promise<Readonly<Record<string, string>>> {
  const { headers } = await send(usual, hello, 'POST', url);
  return { ...usual, 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
}

function posted(headers: Readonly<Record<string, string>>, message: JsonObject, url = server.url): Promise<Reply> {
  return send(headers, JSON.stringify(message), 'POST', url);
}

test('a session ends when its client says so, and is known no more', async () => {
  const headers = await session();
  expect((await posted(headers, toolCall(1, 'echo', { text: 'x' }))).body).toContain('"said":"x"');
  expect((await send(headers, '', 'DELETE')).status).toBe(200);
  expect((await posted(headers, toolCall(2, 'echo', { text: 'x' }))).status).toBe(404);
});

test('a request that was refused can be sent again under its id', async () => {
  const headers = await session();
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  expect((await posted({ ...headers, accept: 'application/json' }, list)).status).toBe(406);
  expect((await posted({ ...headers, 'mcp-protocol-version': '1999-01-01' }, list)).status).toBe(400);
  const again = await posted(headers, list);
  expect([again.status, again.body.includes('echo')]).toEqual([200, true]);
});

test('a session that is not used ends, and the oldest makes room for a new one', async () => {
  const { url } = strict;
  const all = [await session(url), await session(url), await session(url), await session(url)];
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect(await Promise.all(all.map(async (headers) => (await posted(headers, ping, url)).status))).toEqual([
    404, 200, 200, 200,
  ]);
  await wait(4500);
  expect(await Promise.all(all.map(async (headers) => (await posted(headers, ping, url)).status))).toEqual([
    404, 404, 404, 404,
  ]);
});

test('a client that does not come back for its answer loses its session, and its call is aborted', async () => {
  notes.length = 0;
  const headers = await session(strict.url);
  const sent = request(strict.url, { method: 'POST', headers });
  sent.on('error', () => {}).end(JSON.stringify(toolCall(1, 'wait', {})));
  await until(() => notes.includes('waiting'));
  expect((await posted(headers, toolCall(1, 'echo', { text: 'the same id' }), strict.url)).status).toBe(400);
  sent.destroy();
  await until(() => notes.includes('aborted'));
  expect((await posted(headers, toolCall(2, 'echo', { text: 'x' }), strict.url)).status).toBe(404);
});

test('a client without sessions that is gone leaves no call behind', async () => {
  notes.length = 0;
  const headers = { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait' };
  const sent = request(server.url, { method: 'POST', headers });
  sent.on('error', () => {}).end(JSON.stringify(toolCall(1, 'wait', {}, { _meta: envelope })));
  await until(() => notes.includes('waiting'));
  sent.destroy();
  await until(() => notes.includes('aborted'));
  await expectAlive();
});

test('events for a client that does not read are dropped and counted over HTTP, too', async () => {
  notes.length = 0;
  const headers = { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'events' };
  let body = '';
  let ended = false;
  const sent = request(server.url, { method: 'POST', headers }, (response) => {
    response.setEncoding('utf8').on('end', () => (ended = true));
    void until(() => notes.includes('posted')).then(() => response.on('data', (chunk: string) => (body += chunk)));
  });
  sent.end(JSON.stringify(toolCall(1, 'events', { count: 20_000, bytes_: 2000 }, { _meta: envelope })));
  await until(() => notes.includes('posted'));
  await until(() => ended);
  const messages = body.split('\n').filter((line) => line.startsWith('data: '));
  const parsed = messages.map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject);
  const events = parsed.filter(({ method }) => method === 'notifications/capstan/event');
  expect(parsed.find(({ method }) => method === 'notifications/capstan/missed')?.params).toEqual({
    count: 20_000 - events.length,
  });
  expect(parsed.at(-1)).toMatchObject({ id: 1, result: { structuredContent: { said: 'posted' } } });
});

test('a stream that was cut off is resumed where it ended', async () => {
  const client = await connected(
    { revision: '2025-11-25' },
    new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  expect(text(await call(client, 'echo', { text: 'x' }))).toBe('x');
  await client.close();
  const headers = await session();
  const first = await posted(headers, toolCall(1, 'events', { count: 3 }));
  const ids = [...first.body.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id);
  expect(ids).toHaveLength(5);
  const { 'content-type': _, ...get } = headers;
  const again = await send({ ...get, accept: 'text/event-stream', 'last-event-id': ids[1] ?? '' }, '', 'GET');
  expect(again.body.match(/"index":\d/g)).toEqual(['"index":1', '"index":2']);
  expect(again.body).toContain('"said":"posted"');
});

test('the server ends, with all that is open', async () => {
  notes.length = 0;
  const other = await serveHttp(served, { host: '127.0.0.1', port: 0, token: undefined });
  const headers = { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'wait' };
  const sent = request(other.url, { method: 'POST', headers }).on('error', () => {});
  sent.end(JSON.stringify(toolCall(1, 'wait', {}, { _meta: envelope })));
  await until(() => notes.includes('waiting'));
  await other.close();
  await until(() => notes.includes('aborted'));
  await expect(fetch(other.url)).rejects.toThrow('fetch failed');
});
