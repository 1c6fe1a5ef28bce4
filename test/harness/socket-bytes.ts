import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { type SocketRead, openWebSocketOver } from '../../src/adapters/model/http/network/open-socket.ts';
import { Pieces } from './pieces.ts';

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** A frame of a server. */
export function frame(code: number, data: Buffer, { isLast = true } = {}): Buffer {
  const lengthBytes = data.length < 126 ? 0 : data.length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + lengthBytes);
  head[0] = (isLast ? 0x80 : 0) | code;
  head[1] = lengthBytes === 0 ? data.length : lengthBytes === 2 ? 126 : 127;
  if (lengthBytes > 0) head.writeUIntBE(data.length, head.length - Math.min(lengthBytes, 6), Math.min(lengthBytes, 6));
  return Buffer.concat([head, data]);
}

export function closeFrame(code: number): Buffer {
  return frame(opcode.close, Buffer.from([code >> 8, code & 0xff]));
}

/** The answer to a request that opens a WebSocket; undefined where the request is another one. */
export function acceptance(request: string): string | undefined {
  const key = /^sec-websocket-key: (.*)\r$/im.exec(request)?.[1];
  if (key === undefined) return undefined;
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const lines = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`];
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** All that is read of a WebSocket whose server sends these pieces, each by itself, and ends the connection. */
export async function readSocket(
  pieces: readonly Buffer[],
  maxBytes = 1024 * 1024,
): Promise<{ readonly messages: readonly Buffer[]; readonly end: SocketRead }> {
  const connection = new Pieces((head) => [Buffer.from(acceptance(head)!), ...pieces]);
  const giveUp = new AbortController().signal;
  const wish = { headers: {}, maxBytes, giveUp };
  const opened = await openWebSocketOver(connection as unknown as Socket, 'http://server.invalid/', wish);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  const messages: Buffer[] = [];
  for (;;) {
    const read = await opened.socket.read({ idleMs: 5000 });
    if (read.kind !== 'messages') return { messages, end: read };
    messages.push(...read.messages);
  }
}
