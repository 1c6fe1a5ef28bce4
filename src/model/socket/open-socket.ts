import type { Socket } from 'node:net';
import { awaitHead } from '../http/network/await-head.ts';
import type { Opened } from '../http/network/exchange.ts';
import { requestHead } from '../http/network/request-head.ts';
import { type NetworkOptions, routes } from '../http/network/route.ts';
import type { Target } from '../http/network/target.ts';
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
    const socket = await route.open({ giveUp });
    if ('kind' in socket)
      return signal.aborted
        ? { kind: 'aborted' }
        : late.aborted
          ? { kind: 'idle' }
          : { ...socket, proxy: route.proxy! };
    const head = requestHead('GET', route.path, { ...headers, ...upgradeHeaders(key), ...route.headers });
    if (typeof head !== 'string') return head;
    const sent = new Promise<void>((resolve) => socket.write(head, 'latin1', () => resolve()));
    const answer = await awaitHead(socket, { giveUp }, { sent, isBegun: () => true });
    if (answer.kind === 'lost') return { kind: 'lost', code: answer.code, stale: false };
    if (answer.kind === 'answer') {
      socket.destroy();
      return { kind: 'declined', status: answer.message.statusCode ?? 0 };
    }
    if (answer.kind !== 'other-protocol') return signal.aborted ? { kind: 'aborted' } : { kind: 'idle' };
    const terms = deflateTerms(answer.headers['sec-websocket-extensions']);
    if (!opensSocket(answer.headers, key) || terms === 'wrong') {
      socket.destroy();
      return { kind: 'declined', status: answer.status };
    }
    return { kind: 'open', socket, head: Buffer.alloc(0), terms };
  };
}
