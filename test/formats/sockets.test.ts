import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type WebSocketConnection, openWebSocketOver } from '../../src/adapters/model/http/network/open-socket.ts';
import { acceptance, frame, opcode, readSocket } from '../harness/socket-bytes.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { cutLaw, damageLaw, splitLaw } from './socket-laws.ts';

/** test/deep/sockets.test.ts runs the same many more times. */
const runs = 200;

it('an answer reads the same, whatever fragments and pieces it comes in', () =>
  fc.assert(splitLaw(), { numRuns: runs }));

it('an answer fails by name where its connection breaks off', () => fc.assert(cutLaw(), { numRuns: runs }));

it('damaged frames give an answer or a failure by name', () => fc.assert(damageLaw(), { numRuns: runs }));

const tooLarge = { kind: 'ended', why: 'sent a message that is too large', code: 1009 };

it('a message is too large by what its frames say, not by what came', async () => {
  const head = Buffer.from([0x80, 5]);
  const begun = frame(opcode.text, Buffer.from('123456'), { isLast: false });
  expect(await readSocket([begun, head], 10)).toEqual({ messages: [], end: tooLarge });
});

test.each([
  ['without content', Buffer.from([0, 0])],
  ['of one byte', Buffer.from([0, 1, 0x78])],
])('a message of endless fragments %s ends', async (_, fragment) => {
  const fragments = Buffer.concat(Array.from({ length: 20_000 }, () => fragment));
  const { end } = await readSocket([frame(opcode.text, Buffer.alloc(0), { isLast: false }), fragments], 1_000_000);
  expect(end).toEqual({ kind: 'ended', why: 'broke the rules of WebSockets (Too many message fragments)' });
});

it('a frame that comes byte by byte ends where its bytes would take too much', async () => {
  const bytes = Array.from({ length: 70_000 }, () => Buffer.from('x'));
  const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 1, 0x86, 0xa0]);
  const { end } = await readSocket([head, ...bytes], 1_000_000);
  expect(end).toEqual({ kind: 'ended', why: 'broke the rules of WebSockets (Too many buffered chunks)' });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function opened(port: number, maxBytes: number): Promise<{ socket: WebSocketConnection; connection: Socket }> {
  const connection = connect(port, '127.0.0.1').on('error', () => {});
  whenTestEnds(() => void connection.destroy());
  const giveUp = new AbortController().signal;
  const found = await openWebSocketOver(connection, `http://127.0.0.1:${port}/`, { headers: {}, maxBytes, giveUp });
  if (found.kind !== 'open') throw new Error(found.kind);
  return { socket: found.socket, connection };
}

it('a server that sends pings, reads nothing and never answers is given up, and its pings are not all answered', async () => {
  const port = await listening(
    createServer((peer) => {
      peer
        .on('error', () => {})
        .once('data', (head: Buffer) => {
          peer.pause();
          peer.write(acceptance(head.toString('latin1'))!);
          peer.write(Buffer.from(Array.from({ length: 30_000 }, () => [0x89, 0]).flat()));
        });
    }),
  );
  const { socket, connection } = await opened(port, 1000);
  expect(await socket.read({ idleMs: 20_000 })).toEqual({
    kind: 'ended',
    why: 'sent too many signs of life',
    code: 1008,
  });
  expect(connection.writableLength).toBeLessThan(100_000);
});

describe('a server that compresses', () => {
  async function serving(serve: (peer: WebSocket, raw: Socket) => void, maxBytes: number) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true });
    whenTestEnds(() => {
      for (const peer of server.clients) peer.terminate();
      server.close();
    });
    server.on('connection', (peer, { socket }) =>
      serve(
        peer.on('error', () => {}),
        socket,
      ),
    );
    await new Promise((resolve) => server.once('listening', resolve));
    return opened((server.address() as AddressInfo).port, maxBytes);
  }

  it('and whose message says too much ends there', async () => {
    const { socket } = await serving((peer) => peer.send(Buffer.alloc(20_000_000), { binary: false }), 1_000_000);
    expect(await socket.read({ idleMs: 20_000 })).toEqual(tooLarge);
  });

  it('and whose message cannot be inflated ends there', async () => {
    const { socket } = await serving((_, raw) => raw.write(Buffer.from([0xc1, 3, 0xff, 0xff, 0xff])), 1_000_000);
    expect(await socket.read({ idleMs: 20_000 })).toMatchObject({
      kind: 'ended',
      why: expect.stringMatching(/^broke the rules of WebSockets \(/),
    });
  });

  it('remembers what it got, and is remembered: the same again costs hardly anything', async () => {
    const text = Array.from({ length: 2000 }, (_, index) => `word ${(index * 7919) % 10_007}`).join(' ');
    const sizes: number[] = [];
    const { socket, connection } = await serving((peer, raw) => {
      let before = raw.bytesRead;
      peer.on('message', (data) => {
        sizes.push(raw.bytesRead - before);
        before = raw.bytesRead;
        peer.send(data, { binary: false });
      });
    }, 1_000_000);
    const got: number[] = [];
    for (let i = 0; i < 2; i++) {
      const before = connection.bytesRead;
      await socket.send([Buffer.from(text.slice(0, 100)), Buffer.from(text.slice(100))]);
      expect(await socket.read({ idleMs: 20_000 })).toEqual({ kind: 'messages', messages: [Buffer.from(text)] });
      got.push(connection.bytesRead - before);
    }
    for (const [first, second] of [sizes, got]) {
      expect(first).toBeGreaterThan(3000);
      expect(second).toBeLessThan(300);
    }
  });
});

it('a slow reader slows the server down', async () => {
  let sent = 0;
  const message = frame(opcode.text, Buffer.alloc(10_000, 'x'));
  const port = await listening(
    createServer((peer) => {
      peer
        .on('error', () => {})
        .once('data', (head: Buffer) => {
          peer.write(acceptance(head.toString('latin1'))!);
          const more = (): void => {
            while (sent < 100_000_000 && peer.write(message)) sent += message.length;
          };
          peer.on('drain', more);
          more();
        });
    }),
  );
  const { socket } = await opened(port, 1_000_000);
  let before = -1;
  while (sent !== before) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // The bytes that the system holds on their way come on top.
  expect(sent).toBeLessThan(20_000_000);
  const read = await socket.read({ idleMs: 20_000 });
  expect(read.kind === 'messages' && read.messages.length).toBeLessThan(200);
});
