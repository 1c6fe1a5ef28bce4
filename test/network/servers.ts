import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import type { Certified } from './certificate.ts';

export interface TestProxy {
  readonly port: number;
  /** Its requests, one line each: the method, the whole address and the sender. */
  readonly asked: readonly string[];
}

export interface ProxyOptions {
  /** The port that everything leads to, whatever host is asked for. */
  readonly to: number;
  /** The status of its refusal, instead of passing anything on; `silence` is no answer. */
  readonly refuses?: number | 'silence';
  /** The body of a refused request. Absent: what identifies the client. */
  readonly body?: string;
  /** Called when a client leaves without an answer. */
  readonly onLeft?: () => void;
}

/** A proxy that forwards requests and opens tunnels. */
export async function startProxy({ to, refuses, body, onLeft }: ProxyOptions): Promise<TestProxy> {
  const asked: string[] = [];
  const proxy = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? '-'}`);
    if (refuses === 'silence') return;
    if (refuses !== undefined)
      return void response
        .writeHead(refuses, { 'content-type': body?.startsWith('<') === true ? 'text/html' : 'text/plain' })
        .end(body ?? incoming.headers['proxy-authorization']);
    const { pathname, search } = new URL(incoming.url!);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const onwards = request({ port: to, host: '127.0.0.1', method: 'POST', path: `${pathname}${search}`, headers });
    onwards.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode!, answer.headers)));
    incoming.pipe(onwards);
  });
  proxy.on('connect', (incoming, socket: Socket) => {
    asked.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? '-'}`);
    if (refuses === 'silence')
      return void socket
        .on('error', () => {})
        .on('end', () => onLeft?.())
        .resume();
    if (refuses !== undefined) return void socket.end(`HTTP/1.1 ${refuses} No\r\n\r\nuser-0123456789`);
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    join(socket, connect(to, '127.0.0.1'));
  });
  return { port: await listen(proxy), asked };
}

/** TLS in front of another port. */
export function startTls({ certificate, key }: Certified, to: number): Promise<number> {
  const server = createTlsServer({ cert: certificate, key }, (socket) => join(socket, connect(to, '127.0.0.1')));
  return listen(server.on('tlsClientError', () => {}));
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  whenTestEnds(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function join(one: Socket, other: Socket): void {
  one.on('error', () => other.destroy()).on('close', () => other.destroy());
  other.on('error', () => one.destroy()).on('close', () => one.destroy());
  one.pipe(other);
  other.pipe(one);
}
