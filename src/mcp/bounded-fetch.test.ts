import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { boundedFetch } from './bounded-fetch.ts';

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

test('an answer that does not end is an error, and a stream may be long as long as its lines are not', async () => {
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => void (response.writable && response.write(mega, more));
    more();
  };
  const answer = await boundedFetch(await serve(endless));
  await expect(answer.arrayBuffer()).rejects.toThrow('more than 32000000 bytes');

  const lines: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let line = 0; line < 40; line++) response.write(Buffer.concat([mega, Buffer.from('\n')]));
    response.end();
  };
  const stream = await boundedFetch(await serve(lines));
  expect((await stream.arrayBuffer()).byteLength).toBe(40 * 1_000_001);
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
