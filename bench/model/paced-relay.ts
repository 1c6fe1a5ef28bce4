import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** A link between a client and a server on this machine that is as slow as one to a provider may be. */
export interface PacedRelay {
  readonly port: number;
  /** Bytes that went from clients to the server so far. */
  readonly upBytes: number;
  close(): void;
}

/** Bytes that are passed on at once: at 10 Mbit/s in about a millisecond. */
const sliceBytes = 1250;

/** Passes on what comes, in both directions, at this pace for each connection. */
export async function startPacedRelay(targetPort: number, bitsPerSecond: number): Promise<PacedRelay> {
  const sockets = new Set<Socket>();
  let upBytes = 0;
  const server = createServer((client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1' });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    const count = (bytes: number): void => {
      upBytes += bytes;
    };
    void pass(client, target, bitsPerSecond, count).catch(() => client.destroy());
    void pass(target, client, bitsPerSecond, () => {}).catch(() => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get upBytes() {
      return upBytes;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function pass(from: Socket, to: Socket, bitsPerSecond: number, count: (bytes: number) => void): Promise<void> {
  /** When the link is free for the next bytes. A link that rested does not save up. */
  let freeAt = performance.now();
  for await (const chunk of from) {
    const bytes = chunk as Buffer;
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      const slice = bytes.subarray(at, at + sliceBytes);
      freeAt = Math.max(freeAt, performance.now()) + (slice.length * 8000) / bitsPerSecond;
      const waitMs = freeAt - performance.now();
      // Timers are no finer: what is a little early waits for the next slice.
      if (waitMs >= 1) await setTimeout(waitMs);
      count(slice.length);
      to.write(slice);
    }
  }
  to.end();
}
