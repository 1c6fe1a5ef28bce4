import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createSender } from './exchange.ts';
import { parseTarget } from './destination.ts';

async function serving(talk: (socket: Socket) => () => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', talk(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** A server that writes hints for as long as it is listened to, or answers after some. */
async function hinting(most: number): Promise<string> {
  return serving((socket) => {
    let hints = 0;
    const timer = setInterval(() => {
      hints += 1;
      if (hints <= most) return void socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      clearInterval(timer);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    }, 20);
    return () => clearInterval(timer);
  });
}

/** A server that writes a head byte by byte, for ever or to its end. */
async function trickling(text: string): Promise<string> {
  return serving((socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (at < text.length) return void socket.write(text[at++]!);
      clearInterval(timer);
      socket.end();
    }, 10);
    return () => clearInterval(timer);
  });
}

test.each([
  ['has no more time than an answer that does not begin', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(10_000)}`, 'idle', 400],
  ['may trickle', 'HTTP/1.1 200 OK\r\n\r\nx', 'answer', 20_000],
])('a head %s', async (_, text, kind, idleMs) => {
  const send = createSender({ environment: {} })(parseTarget(await trickling(text))!);
  const opened = await send({ headers: {}, body: [], idleMs, signal: AbortSignal.timeout(20_000) });
  expect(opened.kind).toBe(kind);
});

const path = 'The path of a request has a character that no path may have.';

test.each([
  ['/v1', { 'x-key': 'secret\u2026' }, 'The header "x-key" has a character that no header may have.'],
  [
    '/v1',
    { authorization: 'Bearer secret\nb: c' },
    'The header "authorization" has a character that no header may have.',
  ],
  ['/v1', { authorization: 'secret\u0000' }, 'The header "authorization" has a character that no header may have.'],
  ['/v1', { 'a\r\nb': 'secret' }, 'The header "a\\r\\nb" has a character that no header may have.'],
  ['/v1', { 'a b': 'secret' }, 'The header "a b" has a character that no header may have.'],
  ['/v1 HTTP/1.1\r\nsecret: y', {}, path],
  ['', {}, path],
])('what would become another request is an outcome, and not quoted: %#', async (given, headers, message) => {
  const send = createSender({ environment: {} })({ ...parseTarget('http://127.0.0.1:1/')!, path: given });
  const opened = await send({ headers, body: [], idleMs: 400, signal: AbortSignal.timeout(3000) });
  expect(opened).toEqual({ kind: 'unusable', message, next: 'Correct the value where it is set, then try again.' });
});

test.each([
  ['without end are no answer', Number.POSITIVE_INFINITY, 'idle'],
  ['before an answer do no harm', 3, 'answer'],
])('hints %s', async (_, most, kind) => {
  const send = createSender({ environment: {} })(parseTarget(await hinting(most))!);
  const opened = await send({ headers: {}, body: [], idleMs: 500, signal: new AbortController().signal });
  expect(opened.kind).toBe(kind);
});
