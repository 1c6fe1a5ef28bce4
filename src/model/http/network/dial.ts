import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { defined } from '../../../protocol/defined.ts';

/** Where a connection leads. */
export interface Destination {
  readonly protocol: 'http:' | 'https:';
  /** Without brackets. */
  readonly host: string;
  /** Empty: the one of the protocol. */
  readonly port: string;
}

/** What is known of a destination that speaks TLS. */
export interface SecurePeer {
  /** Absent: those are trusted whom Node trusts. */
  readonly secureContext?: SecureContext | undefined;
  /** Of the connection before: the next one is faster. */
  session?: Buffer | undefined;
}

export const defaultPorts = { 'http:': 80, 'https:': 443 };

/** Begins a connection. What is written meanwhile waits; trouble comes as an error of the socket. */
export function dial({ protocol, host, port: given }: Destination, secure: SecurePeer): Socket {
  const port = given === '' ? defaultPorts[protocol] : Number(given);
  const place = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000 };
  if (protocol === 'https:') return connectSecurely(host, secure, place);
  return heard(process.getBuiltinModule('node:net').connect(place));
}

/** An error without a listener would end the process, and between two exchanges there is no other. */
function heard<Dialled extends Socket>(socket: Dialled): Dialled {
  return socket.on('error', () => {});
}

/** TLS inside of a connection that is there. */
export function securedOver(socket: Socket, host: string, secure: SecurePeer): Socket {
  return connectSecurely(host, secure, { socket });
}

function connectSecurely(host: string, secure: SecurePeer, over: ConnectionOptions): Socket {
  const { secureContext, session } = secure;
  // An address is no name.
  const servername = process.getBuiltinModule('node:net').isIP(host) === 0 ? host : '';
  const options = { ...over, host, servername, ALPNProtocols: ['http/1.1'], ...defined({ secureContext, session }) };
  const socket = heard(process.getBuiltinModule('node:tls').connect(options));
  socket.on('session', (ticket) => {
    secure.session = ticket;
  });
  return socket;
}
