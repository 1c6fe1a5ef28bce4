import { type HostTarget, readHostLists } from '../../../core/policy/network/host-lists.ts';
import type { NetworkLists } from '../../../protocol/permissions.ts';
import { createHostGate, type GateOptions, connectionIdleMs, joinSockets } from './connection-gate.ts';
import { createHttpProxy } from './http-proxy.ts';
import { serveSocks, socksVersion } from './socks5.ts';
import type { Server, Socket } from 'node:net';

export type CommandProxy = ReturnType<typeof createCommandProxy>;
const mostConnections = 256;
const handshakeMs = 30_000;

export function createCommandProxy(options: GateOptions) {
  const gate = createHostGate(options);
  const http = createHttpProxy(gate);
  const listeners: Server[] = [];
  const sockets = new Set<Socket>();

  function hold(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  }

  function take(socket: Socket): void {
    hold(socket);
    // While an answer is pending, the program waits and sends nothing: do not treat that as an unfinished handshake.
    const onSilence = () => void (gate.isAsking() ? socket.setTimeout(connectionIdleMs) : socket.destroy());
    socket.setTimeout(handshakeMs, onSilence);
    const onEnd = (): void => void socket.destroy();
    socket.once('end', onEnd);
    socket.once('data', (bytes: Buffer) => {
      socket.off('end', onEnd);
      socket.pause();
      socket.unshift(bytes);
      socket.setTimeout(connectionIdleMs);
      if (bytes[0] === socksVersion) serveSocks(gate, socket);
      else http.take(socket);
      process.nextTick(() => socket.resume());
    });
  }

  async function carry(socket: Socket, target: HostTarget): Promise<void> {
    hold(socket);
    socket.pause();
    const passage = await gate.pass({ ...target, protocol: 'socks5_tcp' });
    if (passage.kind !== 'open') return void socket.destroy();
    if (socket.destroyed) return void passage.socket.destroy();
    joinSockets(socket, passage.socket);
  }

  return {
    /** Serves HTTP and SOCKS5 on one socket: the first byte tells which. With `target`, forwards connections to it. */
    serve(listener: Server, target?: HostTarget): void {
      listeners.push(listener);
      listener.maxConnections = mostConnections;
      // A program may end its half of a connection first; Node would end the other half with it.
      Object.assign(listener, { allowHalfOpen: true });
      listener
        .on('connection', (socket) => (target === undefined ? take(socket) : void carry(socket, target)))
        .on('error', () => {});
    },
    denied: () => gate.denied(),
    close(): void {
      for (const listener of listeners) listener.close();
      for (const socket of sockets) socket.destroy();
      gate.close();
    },
  };
}

/** The proxy's port inside a sandbox, where nothing else uses it. */
export const proxyPort = 3128;
/** Programs spell them in either case. */
const httpNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'WS_PROXY', 'WSS_PROXY'];
const httpNamesOfTools = [
  ...['YARN', 'BUNDLE'].flatMap((tool) => [`${tool}_HTTP_PROXY`, `${tool}_HTTPS_PROXY`]),
  'PIP_PROXY',
  'DOCKER_HTTP_PROXY',
  'DOCKER_HTTPS_PROXY',
  ...bothCases(['NPM_CONFIG_PROXY', 'NPM_CONFIG_HTTP_PROXY', 'NPM_CONFIG_HTTPS_PROXY']),
];
const socksNames = ['ALL_PROXY', 'FTP_PROXY'];
const exceptionNames = ['NO_PROXY', 'NPM_CONFIG_NOPROXY'];
/** Commands reach these directly: the sandbox has its own loopback, and the proxy would connect to this machine's. */
const ownLoopback = ['localhost', '127.0.0.1', '::1'];

/** Variables that direct a command's programs to the proxy. They win over the user's, which lead elsewhere. */
export function proxyVariables(lists: NetworkLists): Readonly<Record<string, string>> {
  const named = readHostLists(lists).allow.filter(({ kind }) => kind === 'exact');
  // A listed name means the server on this machine, which only the proxy reaches.
  const direct = ownLoopback.filter((name) => named.every(({ host }) => host !== name)).join(',');
  const address = `127.0.0.1:${proxyPort}`;
  const all = (names: readonly string[], value: string) => Object.fromEntries(names.map((name) => [name, value]));
  return {
    ...all([...bothCases(httpNames), ...httpNamesOfTools], `http://${address}`),
    ...all(bothCases(socksNames), `socks5h://${address}`),
    ...all([...bothCases(exceptionNames), 'YARN_NO_PROXY', 'BUNDLE_NO_PROXY'], direct),
    CODEX_NETWORK_PROXY_ACTIVE: '1',
    CODEX_NETWORK_ALLOW_LOCAL_BINDING: lists.local ? '1' : '0',
    ELECTRON_GET_USE_PROXY: 'true',
    NODE_USE_ENV_PROXY: '1',
  };
}

function bothCases(names: readonly string[]): readonly string[] {
  return [...names, ...names.map((name) => name.toLowerCase())];
}
