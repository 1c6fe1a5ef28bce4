import type { Server, Socket } from 'node:net';
import type { HostTarget } from '../../policy/network/decide-host.ts';
import type { DeniedRequest } from '../../protocol/denied-request.ts';
import { systemWays } from './dial.ts';
import { createGate, type GateOptions } from './gate.ts';
import { createHttpProxy } from './http-proxy.ts';
import { idleMs, joinSockets } from './join-sockets.ts';
import { socksVersion, takeSocks } from './socks5.ts';

/** Stands between one command and the network. */
export interface CommandProxy {
  /**
   * Answers on the socket from now on, for HTTP and SOCKS5 alike: the first byte tells them apart. With a target, it
   * carries what comes there as it is.
   */
  serve(listener: Server, target?: HostTarget): void;
  denied(): readonly DeniedRequest[];
  /** Ends every connection. */
  close(): void;
}

const mostConnections = 256;
/** How long a program may take to say what it wants. */
const handshakeMs = 30_000;

export function createCommandProxy(
  options: Omit<GateOptions, 'ways'> & Partial<Pick<GateOptions, 'ways'>>,
): CommandProxy {
  const gate = createGate({ ways: systemWays, ...options });
  const http = createHttpProxy(gate);
  const listeners: Server[] = [];
  const sockets = new Set<Socket>();

  function take(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // A program whose question waits has nothing to say until there is an answer.
    socket.setTimeout(handshakeMs, () => void (gate.isAsking() ? socket.setTimeout(idleMs) : socket.destroy()));
    const onEnd = (): void => void socket.destroy();
    socket.once('end', onEnd);
    socket.once('data', (bytes: Buffer) => {
      socket.off('end', onEnd);
      socket.pause();
      socket.unshift(bytes);
      socket.setTimeout(idleMs);
      if (bytes[0] === socksVersion) takeSocks(gate, socket);
      else http.take(socket);
      process.nextTick(() => socket.resume());
    });
  }

  async function carry(socket: Socket, target: HostTarget): Promise<void> {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    socket.pause();
    const passage = await gate.pass({ ...target, protocol: 'socks5_tcp' });
    if (passage.kind !== 'open') return void socket.destroy();
    if (socket.destroyed) return void passage.socket.destroy();
    joinSockets(socket, passage.socket);
  }

  return {
    serve(listener, target) {
      listeners.push(listener);
      listener.maxConnections = mostConnections;
      // A program may end its half of a connection first; Node would end the other half with it.
      Object.assign(listener, { allowHalfOpen: true });
      listener
        .on('connection', (socket) => (target === undefined ? take(socket) : void carry(socket, target)))
        .on('error', () => {});
    },
    denied: () => gate.denied(),
    close() {
      for (const listener of listeners) listener.close();
      for (const socket of sockets) socket.destroy();
      gate.close();
    },
  };
}
