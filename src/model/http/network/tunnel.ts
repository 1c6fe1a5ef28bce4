import type { Agent, ClientRequest, ClientRequestArgs, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { defined } from '../../../protocol/defined.ts';
import { connectionTo, type Proxy } from './proxy.ts';

/** What a proxy did instead of opening a tunnel: it could not be reached, said no, or said nothing. */
export type TunnelTrouble =
  | { readonly kind: 'lost'; readonly code: string; readonly stale: false }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'idle' };

export class TunnelError extends Error {
  readonly trouble: TunnelTrouble;

  constructor(trouble: TunnelTrouble) {
    super(trouble.kind);
    this.trouble = trouble;
  }
}

/** A request through a tunnel also says when it is no longer wanted: until there is a tunnel nothing else knows of both. */
export interface TunnelOptions extends RequestOptions {
  readonly giveUp?: AbortSignal;
}

/**
 * Makes an agent open its connections through a proxy, which sees where they lead and nothing of what they carry.
 * Whatever the agent does with a connection it does inside of the tunnel. Node's own way (`proxyEnv`) leaves a
 * connection behind when a request is given up meanwhile, and does not let one say whom to trust as a proxy.
 */
export function tunnelThrough(proxy: Proxy, agent: Agent, secureContext: SecureContext | undefined): void {
  const connectInside = agent.createConnection.bind(agent);
  const { Agent: SecureAgent } = process.getBuiltinModule('node:https');
  // Without TLS the tunnel is the connection.
  const inside = (socket: Duplex, options: TunnelOptions): Duplex =>
    agent instanceof SecureAgent ? (connectInside({ ...options, socket } as ClientRequestArgs) as Duplex) : socket;
  agent.createConnection = (options: TunnelOptions, callback) => {
    const request = connectRequest(proxy, options, secureContext);
    openTunnel(request, options.giveUp, {
      opened: (socket) => callback?.(null, inside(socket, options)),
      failed: (error) => callback?.(error, undefined as never),
    });
    return undefined;
  };
}

function connectRequest(
  proxy: Proxy,
  { host, port, timeout }: TunnelOptions,
  secureContext: SecureContext | undefined,
): ClientRequest {
  const authority = `${host?.includes(':') ? `[${host}]` : host}:${port}`;
  const known = defined({ 'proxy-authorization': proxy.authorization });
  return process.getBuiltinModule(proxy.protocol === 'https:' ? 'node:https' : 'node:http').request({
    method: 'CONNECT',
    ...connectionTo(proxy),
    path: authority,
    headers: { host: authority, connection: 'keep-alive', ...known },
    agent: false,
    timeout,
    ...defined({ secureContext }),
  } as RequestOptions);
}

function openTunnel(
  request: ClientRequest,
  giveUp: AbortSignal | undefined,
  { opened, failed }: { opened: (socket: Duplex) => void; failed: (error: TunnelError) => void },
): void {
  let settled = false;
  const settle = (): boolean => {
    giveUp?.removeEventListener('abort', onGiveUp);
    const first = !settled;
    settled = true;
    return first;
  };
  const fail = (trouble: TunnelTrouble): void => {
    if (!settle()) return;
    request.destroy();
    failed(new TunnelError(trouble));
  };
  const onGiveUp = (): void => fail({ kind: 'lost', code: 'aborted', stale: false });
  giveUp?.addEventListener('abort', onGiveUp, { once: true });
  request.on('connect', ({ statusCode: status = 0 }, socket, head) => {
    if (status < 200 || status > 299) {
      socket.destroy();
      return fail({ kind: 'refused', status });
    }
    if (!settle()) return;
    if (head.length > 0) socket.unshift(head);
    opened(socket);
  });
  request.on('timeout', () => fail({ kind: 'idle' }));
  request.on('error', ({ code = 'ERROR' }: NodeJS.ErrnoException) => fail({ kind: 'lost', code, stale: false }));
  request.on('close', () => fail({ kind: 'lost', code: 'closed', stale: false }));
  request.end();
}
