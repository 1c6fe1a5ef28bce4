// @module-tag attack
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** Small limits: what counts is that there is an end. */
const limits = ['answer.max_items=50', 'answer.max_bytes=300000'];

interface Endless {
  readonly live: LiveThread;
  readonly overrides: readonly string[];
  /** The number of requests, and the bytes that the server could send before the connection was closed. */
  readonly seen: { requests: number; bytes: number };
}

/** A thread whose provider sends a head and then the same piece, again and again, until it is left. */
async function provider(piece: (turn: number) => string, head: Head = {}): Promise<Endless> {
  const seen = { requests: 0, bytes: 0 };
  const server = createHttpServer((request, response) => {
    request.resume();
    seen.requests += 1;
    const { status = 200, type = 'text/event-stream', ...more } = head;
    response.writeHead(status, { 'content-type': type, ...more.headers });
    void pour(response, piece, seen);
  });
  return open(server, seen);
}

interface Head {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function open(server: ReturnType<typeof createServer>, seen: Endless['seen']): Promise<Endless> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  whenTestEnds(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const live = await LiveThread.in([]);
  return { live, seen, overrides: [`model_providers.scripted.base_url="${url}"`, ...limits] };
}

async function pour(response: ServerResponse, piece: (turn: number) => string, seen: Endless['seen']): Promise<void> {
  let wake = (): void => {};
  response.on('drain', () => wake()).on('close', () => wake());
  for (let turn = 0; !response.destroyed; turn++) {
    const text = piece(turn);
    seen.bytes += text.length;
    if (response.write(text)) continue;
    await new Promise<void>((done) => {
      wake = done;
      if (response.destroyed) done();
    });
  }
}

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const item = (turn: number): object => ({ ...say(`item ${turn}`), id: `msg_${turn}` });
const filler = 'x'.repeat(1000);

describe('an answer without end is stopped at a limit and not asked for again', () => {
  test.each<[string, string, (turn: number) => string]>([
    ['finished items', '50 items', (turn) => event({ type: 'response.output_item.done', item: item(turn) })],
    ['announced items', '50 items', (turn) => event({ type: 'response.output_item.added', item: item(turn) })],
    ['text', '300000 bytes', () => event({ type: 'response.output_text.delta', item_id: 'm', delta: filler })],
    ['events that mean nothing to us', '300000 bytes', () => event({ type: 'response.unheard_of', filler })],
    ['comments', '300000 bytes', () => `: ${filler}\n\n`],
    ['one line', '300000 bytes', () => filler],
    ['one event of many lines', '300000 bytes', () => `data: ${filler}\n`],
    ['empty lines', '300000 bytes', () => '\n'.repeat(1000)],
    ['line ends of the other kind', '300000 bytes', () => '\r'.repeat(1000)],
  ])('%s', async (_name, limit, piece) => {
    const { live, overrides, seen } = await provider(piece);
    await live.open({ config: overrides });
    const outcome = {
      code: 'answer-too-large',
      message: `The provider sent more than ${limit} in one answer, so Capstan stopped reading it.`,
    };
    expect(await live.turn('go')).toMatchObject({ kind: 'failed', outcome });
    expect(seen.requests).toBe(1);
    // The bytes that the system holds on their way come on top.
    expect(seen.bytes).toBeLessThan(20_000_000);
    expect(live.told('item-completed').length).toBeLessThanOrEqual(50);
  });

  test('an item that nests without end is no item', { tags: 'representative' }, async () => {
    let nested = '1';
    for (let level = 0; level < 20_000; level++) nested = `[${nested}]`;
    const deep = `data: {"type":"response.output_item.done","item":{"type":"message","role":"assistant","content":[],"x":${nested}}}\n\n`;
    const { live, overrides } = await provider((turn) => (turn === 0 ? deep : ': wait\n'));
    await live.open({ config: [...overrides, 'model_providers.scripted.stream_max_retries=0'] });
    expect(await live.turn('go')).toMatchObject({ kind: 'failed', outcome: { code: 'server-error' } });
  });
});

describe('what stands around an answer has an end, too', () => {
  test('the body of an error', { tags: 'representative' }, async () => {
    const { live, overrides, seen } = await provider(() => filler, { status: 400, type: 'text/plain' });
    await live.open({ config: overrides });
    const result = await live.turn('go');
    expect(result).toMatchObject({ kind: 'failed', outcome: { code: 'invalid-request' } });
    expect(JSON.stringify(result).length).toBeLessThan(3000);
    expect(seen.bytes).toBeLessThan(20_000_000);
  });

  test('headers', { tags: 'representative' }, async () => {
    const seen = { requests: 0, bytes: 0 };
    const server = createServer((socket) => {
      socket.on('error', () => {});
      seen.requests += 1;
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(`x-filler: ${filler}\r\n`)) seen.bytes += filler.length;
      };
      socket.on('drain', more);
      more();
    });
    const { live, overrides } = await open(server, seen);
    const once = ['request_max_retries', 'stream_max_retries'].map((key) => `model_providers.scripted.${key}=0`);
    await live.open({ config: [...overrides, ...once] });
    expect(await live.turn('go')).toMatchObject({ kind: 'failed', outcome: { code: 'connection-failed' } });
    expect(seen.bytes).toBeLessThan(20_000_000);
  });

  test('bytes that claim to be packed are not unpacked', async () => {
    const { live, overrides } = await provider(() => filler, { headers: { 'content-encoding': 'gzip' } });
    await live.open({ config: overrides });
    expect(await live.turn('go')).toMatchObject({
      kind: 'failed',
      outcome: { code: 'connection-failed', retry: 'never' },
    });
  });
});
