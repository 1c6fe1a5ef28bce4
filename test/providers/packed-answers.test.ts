import { gzipSync } from 'node:zlib';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** A server that says this to every request, and how many it has got. */
async function serving(head: string, body: Buffer) {
  const seen = { requests: 0, text: '' };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      seen.requests += 1;
      seen.text += bytes.toString('latin1');
      socket.write(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`);
      socket.end(body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  whenTestEnds(() => void server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

async function turnWith(url: string, retries: number) {
  const live = await LiveThread.in([]);
  const of = (key: string, value: string): string => `model_providers.scripted.${key}=${value}`;
  const limits = ['request_max_retries', 'stream_max_retries'].map((key) => of(key, String(retries)));
  await live.open({ config: [of('base_url', JSON.stringify(url)), ...limits] });
  return live.turn('go');
}

const stream = 'content-type: text/event-stream';

it('a compressed answer is refused in words, once, and plain ones are asked for', async () => {
  const { seen, url } = await serving(`200 OK\r\n${stream}\r\ncontent-encoding: gzip`, gzipSync('data: {}\n\n'));
  expect(await turnWith(url, 2)).toMatchObject({
    kind: 'failed',
    outcome: { message: expect.stringContaining('sent a compressed answer'), retry: 'never' },
  });
  expect(seen.requests).toBe(1);
  expect(seen.text).toContain('\r\naccept-encoding: identity\r\n');
});

it.each(['none', 'identity', 'UTF-8', ''])('an encoding that is none does no harm: %j', async (encoding) => {
  const { url } = await serving(`200 OK\r\n${stream}\r\ncontent-encoding: ${encoding}`, Buffer.from('data: {}\n\n'));
  expect(JSON.stringify(await turnWith(url, 0))).not.toContain('compressed');
});

it('a compressed error keeps its status', async () => {
  const { seen, url } = await serving('503 Busy\r\ncontent-encoding: gzip', gzipSync('{"error":{}}'));
  expect(JSON.stringify(await turnWith(url, 1))).toContain('503');
  expect(seen.requests).toBeGreaterThan(1);
});
