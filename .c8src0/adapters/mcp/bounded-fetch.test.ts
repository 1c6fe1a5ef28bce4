import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { boundedFetch, createServerFetch } from './bounded-fetch.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const mega = Buffer.alloc(1_000_000, 'x');

test('an answer that does not end is an error, and a stream may be long as long as its events are not', async () => {
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => void (response.writable && response.write(mega, more));
    more();
  };
  const answer = await boundedFetch(await serve(endless));
  await expect(answer.arrayBuffer()).rejects.toThrow('more than 32000000 bytes');

  const lines: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let line = 0; line < 40; line++) response.write(Buffer.concat([mega, Buffer.from('\n\n')]));
    response.end();
  };
  const stream = await boundedFetch(await serve(lines));
  expect((await stream.arrayBuffer()).byteLength).toBe(40 * 1_000_002);
});

test('an event that does not end is an error, and its reader gets whole lines', async () => {
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const line = Buffer.concat([Buffer.from('data: '), mega, Buffer.from('\n')]);
    const more = (): void => void (response.writable && response.write(line, more));
    more();
  };
  const answer = await boundedFetch(await serve(endless));
  await expect(answer.arrayBuffer()).rejects.toThrow('more than 32000000 bytes');

  const pieces: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = ([first, ...rest]: readonly string[]): void =>
      void (first === undefined ? response.end() : response.write(first, () => setImmediate(() => send(rest))));
    send(['da', 'ta:', ' 1\r', '\n', '\r\ndata: ', '2\n\nda', 'ta: 3']);
  };
  const read: string[] = [];
  for await (const chunk of (await boundedFetch(await serve(pieces))).body!) read.push(Buffer.from(chunk).toString());
  expect([read.join(''), read.slice(0, -1).every((each) => /[\r\n]$/.test(each))]).toEqual([
    'data: 1\r\n\r\ndata: 2\n\ndata: 3',
    true,
  ]);
});

test('status, headers and address are those of the answer', async () => {
  const url = await serve((_, response) => response.writeHead(404, { 'x-a': 'b' }).end('no'));
  const answer = await boundedFetch(url);
  expect([answer.status, answer.headers.get('x-a'), answer.url, answer.redirected, await answer.text()]).toEqual([
    404,
    'b',
    url,
    false,
    'no',
  ]);
  const empty = await boundedFetch(await serve((_, response) => response.writeHead(204).end()));
  expect([empty.status, empty.body]).toEqual([204, null]);
});

test('a redirect to another origin gets neither a login nor the session', async () => {
  const seen: unknown[] = [];
  const other = await serve((request, response) => {
    seen.push(request.headers['mcp-session-id'], request.headers.authorization, request.headers['x-plain']);
    response.end('ok');
  });
  const own = await serve((_request, response) => void response.writeHead(307, { location: other }).end());
  const headers = { 'mcp-session-id': 's', authorization: 'a', 'x-plain': 'p' };
  await createServerFetch(`${own}mcp`, {})(`${own}mcp`, { headers });
  expect(seen).toEqual([undefined, undefined, 'p']);
});

test('what asks for a token is not sent on to another origin', async () => {
  const seen: string[] = [];
  const note: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      seen.push(`${request.url} ${body}`);
      response.end('ok');
    });
  };
  const other = await serve(note);
  const own = await serve((request, response) => {
    if (request.url !== '/token') return note(request, response);
    response.writeHead(307, { location: request.headers['x-to'] as string }).end();
  });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const renew = (to: string, headers: object, body: string | URLSearchParams): Promise<Response> =>
    createServerFetch(`${own}mcp`, {})(`${own}token`, { method: 'POST', headers: { 'x-to': to, ...headers }, body });
  await renew(`${own}there`, form, 'refresh_token=r');
  await expect(renew(`${other}there`, form, 'refresh_token=r')).rejects.toThrow('which must not have it');
  await expect(renew(`${other}there`, {}, new URLSearchParams({ code: 'c' }))).rejects.toThrow('must not have it');
  expect(seen).toEqual(['/there refresh_token=r']);
});

test('configured headers go to the origin of the server alone, whatever redirects say', async () => {
  const seen: string[] = [];
  const note =
    (place: string): RequestListener =>
    (request, response) => {
      const { 'x-key': key = '-', authorization = '-' } = request.headers;
      seen.push(`${place}${request.url} ${request.method} ${key as string} ${authorization}`);
      const target = new URL(request.url ?? '/', 'http://x').searchParams.get('to');
      if (target === null) response.end('ok');
      else response.writeHead(request.url!.startsWith('/see') ? 303 : 307, { location: target }).end();
    };
  const own = await serve(note('own'));
  const other = (await serve(note('other'))).replace('127.0.0.1', 'localhost');
  const fetched = createServerFetch(`${own}mcp`, { 'X-Key': 'k', Authorization: 'a' });
  const ask = (path: string): Promise<Response> => fetched(path, { method: 'POST', body: '{}' });
  await ask(`${own}1?to=/2`);
  await ask(`${own}3?to=${other}4`);
  await fetched(`${other}5?to=${own}6`, { headers: { authorization: 'given' } });
  await ask(`${own}see?to=/7`);
  expect((await fetched(`${own}8?to=${other}9`, { redirect: 'manual' })).status).toBe(307);
  await expect(fetched(`${own}a?to=/b`, { redirect: 'error' })).rejects.toThrow('it redirects');
  // Another name of the host is another origin, also with one port.
  await fetched(`${own.replace('127.0.0.1', 'localhost')}c`);
  const paths = (line: string): string => line.replace(/\?to=\S+/, '');
  expect(seen.map(paths)).toEqual([
    'own/1 POST k a',
    'own/2 POST k a',
    'own/3 POST k a',
    'other/4 POST - -',
    'other/5 GET - given',
    'own/6 GET k a',
    'own/see POST k a',
    'own/7 GET k a',
    'own/8 GET k a',
    'own/a GET k a',
    'own/c GET - -',
  ]);
});

test('a server that is not there is named, with what to check', async () => {
  const url = await serve(() => {});
  closing.splice(0).forEach((close) => close());
  const { port } = new URL(url);
  await expect(boundedFetch(url)).rejects.toMatchObject({
    message: `nothing listens at 127.0.0.1:${port}: the connection was refused (ECONNREFUSED)`,
    next: 'Start the server, or correct its url.',
  });
  await expect(boundedFetch('http://models.example.invalid/mcp')).rejects.toMatchObject({
    message: expect.stringMatching(
      /^the host in models\.example\.invalid:80 could not be (?:found|looked up).* \((?:ENOTFOUND|EAI_AGAIN)\)$/,
    ) as string,
    next: expect.stringMatching(/^Check the /) as string,
  });
  const plain = new URL(await serve(() => {}));
  await expect(boundedFetch(`https://${plain.host}/`)).rejects.toMatchObject({
    message: `the server at ${plain.host} does not speak TLS correctly (ERR_SSL_WRONG_VERSION_NUMBER)`,
    next: 'Check its url: a server without TLS needs http:// instead of https://.',
  });
  const stopped = boundedFetch(url, { signal: AbortSignal.abort(new Error('stopped')) });
  await expect(stopped).rejects.toThrow('stopped');
});
