import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ModelEvent } from '../../src/ports/model.ts';
import { acceptance } from './socket-bytes.ts';
import { whenTestEnds } from './when-test-ends.ts';

/** The ways in which the bytes of an answer arrive. */
export const deliveries = {
  'chunks of one byte': { way: 'http', piece: (byte: string) => `1\r\n${byte}\r\n`, end: '0\r\n\r\n' },
  'chunks of one byte with extensions': {
    way: 'http',
    piece: (byte: string) => `1;${'e'.repeat(1000)}\r\n${byte}\r\n`,
    end: '0\r\n\r\n',
  },
  'WebSocket fragments of one byte': {
    way: 'socket',
    // A continuation of a message that has begun.
    piece: (byte: string) => `\u0000\u0001${byte}`,
    end: '',
  },
} as const;

export type Delivery = keyof typeof deliveries;

export interface HeldMemory {
  /** The most that the client held at a time, garbage not counted. */
  readonly most: number;
  readonly end: ModelEvent | undefined;
}

const batchBytes = 64 * 1024;

/** The memory that a client in its own process holds while it reads an answer that comes byte by byte. */
export async function heldMemory(delivery: Delivery, text: Iterable<string>): Promise<HeldMemory> {
  const { way, piece, end } = deliveries[delivery];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head: Buffer) => {
      const accepted = acceptance(head.toString('latin1'));
      if (way === 'http') void answer(socket);
      else if (accepted === undefined) socket.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
      else {
        socket.write(accepted);
        socket.once('data', () => void answer(socket));
      }
    });
  });
  async function answer(socket: Socket): Promise<void> {
    let batch =
      way === 'http'
        ? 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
        : '\u0001\u0000';
    for (const each of text) {
      for (const byte of each) batch += piece(byte);
      if (batch.length < batchBytes) continue;
      const isFull = !socket.write(batch, 'latin1');
      batch = '';
      if (isFull) await new Promise<unknown>((resolve) => socket.once('drain', resolve).once('close', resolve));
      if (socket.destroyed) return;
    }
    socket.end(`${batch}${end}`, 'latin1');
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const script = join(import.meta.dirname, 'reading-client.ts');
  const words = ['--expose-gc', '--no-warnings', script, `http://127.0.0.1:${port}/v1`, way];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (printed += more));
  await once(child, 'close');
  return JSON.parse(printed) as HeldMemory;
}

/** One line of data that never ends. */
export function* unfinishedLine(bytes: number): Generator<string> {
  yield 'data: ';
  for (let left = bytes; left > 0; left -= 1000) yield 'x'.repeat(Math.min(1000, left));
}

/** As many bytes, in events that end. */
export function* finishedLines(bytes: number): Generator<string> {
  for (let left = bytes; left > 0; left -= 1000) yield `data: ${'x'.repeat(Math.min(1000, left))}\n\n`;
}
