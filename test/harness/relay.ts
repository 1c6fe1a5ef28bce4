import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { whenTestEnds } from './when-test-ends.ts';

/** A link between a client and a server of a test. */
export interface Relay {
  /** An address that leads to this one over the link. */
  to(url: string): string;
  /** From now on nothing passes over the connections that there are, in either direction, and they do not end. */
  freeze(): void;
}

export async function startRelay(): Promise<Relay> {
  const sockets = new Set<Socket>();
  let port = 0;
  const server = createServer((client) => {
    const target = connect({ port, host: '127.0.0.1' });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('close', () => target.destroy()).pipe(target);
    target.on('close', () => client.destroy()).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  whenTestEnds(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    to(url) {
      port = Number(new URL(url).port);
      return url.replace(`:${port}`, `:${(server.address() as AddressInfo).port}`);
    },
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
