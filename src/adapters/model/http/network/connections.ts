import { defined } from '../../../../base/objects.ts';
import type { Endpoint } from './destination.ts';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';

const mostIdle = 16;
/** Drop a connection a little before its server may close it. */
const marginMs = 1000;
/** Any of these ends an idle connection. `readable`: it has ended, or has sent bytes that belong to no request. */
const signsOfEnd = ['timeout', 'close', 'readable'] as const;

/** Idle connections to one peer. They do not keep the process alive. */
export class IdleConnections {
  readonly #idle: { readonly socket: Socket; readonly drop: () => void }[] = [];

  /** The newest is the least likely to be dead; still, it may be dead without notice. */
  take(): Socket | undefined {
    for (;;) {
      const kept = this.#idle.pop();
      if (kept === undefined) return undefined;
      const { socket, drop } = kept;
      if (socket.destroyed || !socket.writable || socket.readableEnded || socket.readableLength > 0) {
        drop();
        continue;
      }
      for (const event of signsOfEnd) socket.off(event, drop);
      socket.setTimeout(0);
      socket.ref();
      return socket;
    }
  }

  /** After one dead connection, the others may be dead as well. */
  clear(): void {
    while (this.#idle.length > 0) this.#idle.at(-1)!.drop();
  }

  /** `keepAlive`: the header in which a server says how long it keeps the connection. */
  give(socket: Socket, keepAlive: string | undefined): void {
    const seconds = /(?:^|,)\s*timeout=(\d{1,6})/i.exec(keepAlive ?? '')?.[1];
    const keptMs = seconds === undefined ? 0 : Number(seconds) * 1000 - marginMs;
    const isOdd = socket.destroyed || socket.readableLength > 0;
    if (isOdd || this.#idle.length >= mostIdle || (seconds !== undefined && keptMs <= 0)) {
      socket.destroy();
      return;
    }
    const drop = (): void => {
      const at = this.#idle.findIndex((each) => each.socket === socket);
      if (at !== -1) this.#idle.splice(at, 1);
      socket.destroy();
    };
    this.#idle.push({ socket, drop });
    socket.setTimeout(keptMs);
    socket.unref();
    for (const event of signsOfEnd) socket.on(event, drop);
  }
}

export interface SecurePeer {
  /** Absent: Node's trusted authorities. */
  readonly secureContext?: SecureContext | undefined;
  session?: Buffer | undefined;
}

const defaultPorts = { 'http:': 80, 'https:': 443 };
export const portOf = ({ protocol, port }: Pick<Endpoint, 'protocol' | 'port'>): number =>
  port === '' ? defaultPorts[protocol] : Number(port);

/** Opens a connection. Writes are buffered meanwhile; failures arrive as socket errors. */
export function dialHost({ protocol, host, port }: Omit<Endpoint, 'origin'>, secure: SecurePeer): Socket {
  const keeping = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000 };
  const place = { host, port: portOf({ protocol, port }), ...keeping };
  if (protocol === 'https:') return connectSecurely(host, secure, place);
  return heard(process.getBuiltinModule('node:net').connect(place));
}

/** An `error` without a listener would end the process, and between exchanges there is no other listener. */
const heard = <Dialled extends Socket>(socket: Dialled): Dialled => socket.on('error', () => {});
export const securedOver = (socket: Socket, host: string, secure: SecurePeer): Socket =>
  connectSecurely(host, secure, { socket });

function connectSecurely(host: string, secure: SecurePeer, over: ConnectionOptions): Socket {
  const { secureContext, session } = secure;
  // An IP address is not a server name.
  const servername = process.getBuiltinModule('node:net').isIP(host) === 0 ? host : '';
  const options = { ...over, host, servername, ALPNProtocols: ['http/1.1'], ...defined({ secureContext, session }) };
  const socket = heard(process.getBuiltinModule('node:tls').connect(options));
  socket.on('session', (ticket) => {
    secure.session = ticket;
  });
  return socket;
}
