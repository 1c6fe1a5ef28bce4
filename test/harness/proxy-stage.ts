import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { vi } from 'vitest';
import type { NetworkLists } from '../../src/protocol/permissions.ts';
import { type CommandProxy, createCommandProxy } from '../../src/adapters/sandbox/network/command-proxy.ts';
import { type Dialer, type GateOptions, systemDialer } from '../../src/adapters/sandbox/network/connection-gate.ts';

const closers: (() => void)[] = [];

/** Ends what a test opened. */
export function closeStages(): void {
  for (const close of closers.splice(0)) close();
}

export function onClose(close: () => void): void {
  closers.push(close);
}

export function listen(server: Server): Promise<number> {
  closers.push(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

export const soon = (assertion: () => unknown) => vi.waitFor(assertion, { timeout: 20_000, interval: 10 });

const none: NetworkLists = { allow: [], deny: [], local: false, methods: 'any' };
/** A name of the public internet for the proxy, which finds this machine behind it. */
export const publicAddress = '93.184.216.34';

interface Stage {
  readonly port: number;
  readonly proxy: CommandProxy;
  /** Names that were looked up, and addresses that were dialled. */
  readonly traffic: string[];
  /** The number of open connections of programs. */
  open(): Promise<number>;
  /** The number of connections so far. */
  taken(): number;
}

export async function stage(
  lists: Partial<NetworkLists>,
  more: Partial<GateOptions> & { names?: Record<string, string[]> } = {},
): Promise<Stage> {
  const traffic: string[] = [];
  const ways: Dialer = {
    async resolve(name) {
      traffic.push(`resolve ${name}`);
      const found = more.names?.[name];
      if (found === undefined) throw new Error('no such name');
      return found;
    },
    connect(address, port, signal) {
      traffic.push(`connect ${address} ${port}`);
      return systemDialer.connect(address === publicAddress ? '127.0.0.1' : address, port, signal);
    },
  };
  const proxy = createCommandProxy({ lists: { ...none, ...lists }, ways, ...more });
  closers.push(() => proxy.close());
  const listener = createServer();
  const port = await listen(listener);
  proxy.serve(listener);
  const open = () => new Promise<number>((resolve) => listener.getConnections((_, count) => resolve(count)));
  let count = 0;
  listener.on('connection', () => (count += 1));
  return { port, proxy, traffic, open, taken: () => count };
}

/** Sends bytes and gives back all that comes, until the other side ends. */
export function say(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('data', (bytes) => (got += bytes.toString('latin1')));
    socket.on('error', () => {}).on('close', () => resolve(got));
    socket.on('end', () => socket.end());
    void (async () => {
      for (const part of parts) {
        socket.write(part);
        await new Promise((next) => setTimeout(next, 20));
      }
    })();
  });
}

export async function website(): Promise<{ port: number; requests: IncomingMessage[]; bodies: string[] }> {
  const requests: IncomingMessage[] = [];
  const bodies: string[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.setHeader('X-Own', 'yes').end(`you asked for ${request.url}`);
    });
  });
  return { port: await listen(server), requests, bodies };
}

export const echo = () => listen(createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)));
export const names = {
  'ok.test': [publicAddress],
  'mixed.test': [publicAddress, '10.0.0.7'],
  'inside.test': ['127.0.0.1'],
};
export const get = (address: string, method = 'GET') =>
  `${method} ${address} HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n`;

export const socksGreeting = Buffer.from([5, 1, 0]);
export function socksName(host: string, port: number, command = 1): Buffer {
  return Buffer.from([5, command, 0, 3, host.length, ...Buffer.from(host), port >> 8, port & 255]);
}
export const socksAnswer = (code: number) => Buffer.from([5, 0, 5, code, 0, 1, 0, 0, 0, 0, 0, 0]).toString('latin1');
