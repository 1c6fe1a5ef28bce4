import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { normaliseHost, splitHostAndPort } from '../../policy/network/host-name.ts';
import { answerText, blockedAnswer, failedAnswer, type ProxyAnswer } from './blocked-answer.ts';
import type { Gate, Passage } from './gate.ts';
import { endWith, idleMs, joinSockets } from './join-sockets.ts';

/** Speaks HTTP with one program: requests with a whole address, and CONNECT. */
export function createHttpProxy(gate: Gate): { take(socket: Socket): void } {
  const server = createServer({ maxHeaderSize: 32 * 1024 });
  server.on('request', (asked, answer) => void forward(gate, asked, answer));
  server.on('connect', (asked, socket, head) => void tunnel(gate, asked, socket, head));
  server.on('clientError', (_, socket) => {
    if (socket.writable) endWith(socket, answerText(failedAnswer(400, 'This is neither an HTTP request nor SOCKS5.')));
    else socket.destroy();
  });
  return { take: (socket) => void server.emit('connection', socket) };
}

/** Headers that concern one connection and not the request. A request keeps how its body is framed. */
const hopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
]);
const hopHeadersOfRequest = new Set([...hopHeaders, 'te', 'trailer', 'upgrade', 'expect', 'host']);
const hopHeadersOfAnswer = new Set([...hopHeaders, 'trailer', 'upgrade', 'transfer-encoding']);

function passedHeaders({ rawHeaders, headers }: IncomingMessage, dropped: ReadonlySet<string>): string[] {
  const named = new Set(
    (headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  const passed: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const isFraming = name === 'transfer-encoding' || name === 'content-length';
    if (!dropped.has(name) && (isFraming || !named.has(name))) passed.push(...rawHeaders.slice(at, at + 2));
  }
  return passed;
}

async function forward(gate: Gate, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = URL.parse(asked.url ?? '');
  const host = url?.protocol === 'http:' ? normaliseHost(url.hostname) : undefined;
  const { method = 'GET' } = asked;
  asked.on('error', () => answer.destroy());
  answer.on('error', () => asked.destroy());
  if (url === null || host === undefined) {
    return refuse(answer, failedAnswer(400, 'This is a proxy: it takes requests for http:// addresses, and CONNECT.'));
  }
  const port = Number(url.port || 80);
  const passage = await gate.pass({ host, port, protocol: 'http', method });
  if (passage.kind !== 'open') return refuse(answer, refusalOf(passage));
  const { socket } = passage;
  socket.on('error', () => {});
  // The program is gone: it must not be asked for on its behalf.
  if (answer.destroyed) return void socket.destroy();
  answer.on('close', () => socket.destroy());
  socket.setTimeout(idleMs, () => socket.destroy());
  try {
    // The host is that of the address, whatever the header of the program says: it is the one that was checked.
    const headers = [...passedHeaders(asked, hopHeadersOfRequest), 'Host', url.host, 'Connection', 'close'];
    const path = `${url.pathname}${url.search}`;
    const sent = request({ method, path, headers, setHost: false, createConnection: () => socket });
    sent.on('error', (error) => refuse(answer, failedAnswer(502, `The host gave no answer (${error.message}).`)));
    sent.on('response', (received) => void passAnswer(received, answer));
    asked.pipe(sent);
  } catch (error) {
    socket.destroy();
    refuse(answer, failedAnswer(400, `This request cannot be passed on (${String(error)}).`));
  }
}

function passAnswer(received: IncomingMessage, answer: ServerResponse): void {
  received.on('error', () => answer.destroy());
  try {
    answer.writeHead(received.statusCode ?? 502, received.statusMessage, passedHeaders(received, hopHeadersOfAnswer));
    received.pipe(answer);
  } catch {
    refuse(answer, failedAnswer(502, 'The host gave an answer that cannot be passed on.'));
  }
}

function refuse(answer: ServerResponse, { status, headers, body }: ProxyAnswer): void {
  if (answer.headersSent || answer.destroyed) return void answer.destroy();
  // What is left of the request is not read.
  answer.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }).end(body);
}

async function tunnel(gate: Gate, { url = '' }: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  socket.on('error', () => socket.destroy());
  const target = splitHostAndPort(url);
  if (target?.port === undefined) {
    return endWith(socket, answerText(failedAnswer(400, 'CONNECT takes a host and a port.')));
  }
  const passage = await gate.pass({ host: target.host, port: target.port, protocol: 'https' });
  if (passage.kind !== 'open') return endWith(socket, answerText(refusalOf(passage)));
  if (socket.destroyed) return void passage.socket.destroy();
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) passage.socket.write(head);
  joinSockets(socket, passage.socket);
}

function refusalOf(passage: Exclude<Passage, { kind: 'open' }>): ProxyAnswer {
  if (passage.kind === 'blocked') return blockedAnswer(passage.denied);
  return failedAnswer(502, `The host cannot be reached (${passage.why}).`);
}
