import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Opened } from '../http/network/exchange.ts';
import { type NetworkOptions, routes } from '../http/network/route.ts';
import type { Target } from '../http/network/target.ts';
import { TunnelError } from '../http/network/tunnel.ts';
import { type DeflateTerms, deflateTerms } from './message-deflate.ts';
import { newSocketKey, opensSocket, upgradeHeaders } from './handshake.ts';

/** How an attempt to open a WebSocket went. */
export type OpenedSocket =
  /** `head`: what came behind the answer. */
  | { readonly kind: 'open'; readonly socket: Socket; readonly head: Buffer; readonly terms: DeflateTerms | undefined }
  /** The server answered with something else than a WebSocket. */
  | { readonly kind: 'declined'; readonly status: number }
  | Exclude<Opened, { kind: 'answer' }>;

export interface SocketRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** No answer is waited for longer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Opens WebSockets, through a tunnel where the environment names a proxy. */
export function socketOpener(
  network: NetworkOptions,
): (target: Target, request: SocketRequest) => Promise<OpenedSocket> {
  const routeTo = routes(network, 'tunnel');
  return async (target, request) => {
    const route = routeTo(target);
    if (route.kind === 'unusable') return route;
    const key = newSocketKey();
    const { headers, timeoutMs, signal } = request;
    const late = AbortSignal.timeout(timeoutMs);
    const giveUp = AbortSignal.any([signal, late]);
    if (signal.aborted) return { kind: 'aborted' };
    const client = route.request({ method: 'GET', headers: { ...headers, ...upgradeHeaders(key) }, giveUp });
    const opened = await answerOf(client, key, giveUp);
    if (opened.kind === 'aborted') return signal.aborted ? opened : { kind: 'idle' };
    return opened.kind === 'tunnel' ? { ...opened.error.trouble, proxy: route.proxy! } : opened;
  };
}

type Answer =
  | Extract<OpenedSocket, { kind: 'open' | 'declined' | 'aborted' | 'lost' }>
  | { readonly kind: 'tunnel'; readonly error: TunnelError };

function answerOf(client: ClientRequest, key: string, giveUp: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      giveUp.removeEventListener('abort', onGiveUp);
      resolve(answer);
    };
    const onGiveUp = (): void => {
      settle({ kind: 'aborted' });
      client.destroy();
    };
    giveUp.addEventListener('abort', onGiveUp, { once: true });
    client.on('upgrade', ({ headers, statusCode: status = 0 }, socket, head) => {
      // Nothing listens to it yet, and an error without a listener would end the process.
      socket.on('error', () => {});
      if (giveUp.aborted) return void socket.destroy();
      const terms = deflateTerms(headers['sec-websocket-extensions']);
      if (opensSocket(headers, key) && terms !== 'wrong') {
        return settle({ kind: 'open', socket: socket as Socket, head, terms });
      }
      socket.destroy();
      settle({ kind: 'declined', status });
    });
    client.on('response', (message) => {
      settle({ kind: 'declined', status: message.statusCode ?? 0 });
      message.destroy();
    });
    // Stays after the promise is settled: an error without a listener would end the process.
    client.on('error', (error: NodeJS.ErrnoException) => {
      if (error instanceof TunnelError) return settle({ kind: 'tunnel', error });
      settle({ kind: 'lost', code: error.code ?? 'ERROR', stale: false });
    });
    client.on('close', () => settle({ kind: 'lost', code: 'closed', stale: false }));
    client.end();
  });
}
