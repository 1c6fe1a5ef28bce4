import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sender } from './exchange.ts';
import { targetAt } from './target.ts';

/** A server that writes hints for as long as it is listened to, or answers after some. */
async function hinting(most: number): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let hints = 0;
    const timer = setInterval(() => {
      hints += 1;
      if (hints <= most) return void socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      clearInterval(timer);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    }, 20);
    socket.on('error', () => {}).on('close', () => clearInterval(timer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test.each([
  ['without end are no answer', Number.POSITIVE_INFINITY, 'idle'],
  ['before an answer do no harm', 3, 'answer'],
])('hints %s', async (_, most, kind) => {
  const send = sender({ environment: {} })(targetAt(await hinting(most))!);
  const opened = await send({ headers: {}, body: [], idleMs: 500, signal: new AbortController().signal });
  expect(opened.kind).toBe(kind);
});
