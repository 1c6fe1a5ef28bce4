import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { BoundedBuffer } from '../../../../base/bounded-buffer.ts';
import { type HttpHead, type HttpHeaders, mostHeadBytes, encodeRequestHead } from './http-head.ts';
import type { Unanswered } from './exchange.ts';
import { type NetworkOptions, createRouteFinder } from './route.ts';
import type { RequestTarget } from './destination.ts';
import { WebSocketConnection } from './web-socket.ts';

export type OpenedSocket =
  | { readonly kind: 'open'; readonly socket: WebSocketConnection }
  /** The server did not answer with a WebSocket. `words`: what is wrong, or the beginning of the body. */
  | { readonly kind: 'declined'; readonly head: HttpHead; readonly words: string }
  | Unanswered;

export interface SocketRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const mostWordBytes = 4 * 1024;
const longestWordsMs = 1000;

const socketOptions = {
  maxHeaderSize: mostHeadBytes,
  insecureHTTPParser: false,
  // Each fragment is an object: many tiny ones would take a hundred times their size.
  maxFragments: 16 * 1024,
  maxBufferedChunks: 64 * 1024,
  // Most of a request repeats the previous one: a higher level gains little.
  perMessageDeflate: { zlibDeflateOptions: { level: 3 } },
  // A server that does not answer a close must not hold the connection open.
  closeTimeout: 1000,
  autoPong: false,
};

/** Opens WebSockets, through a tunnel where the environment names a proxy. */
export function socketOpener(
  network: NetworkOptions,
): (target: RequestTarget, request: SocketRequest) => Promise<OpenedSocket> {
  const routeTo = createRouteFinder(network, 'tunnel');
  return async (target, { headers, timeoutMs, maxBytes, signal }) => {
    const route = routeTo(target);
    if (route.kind === 'unusable') return route;
    // `ws` would throw and quote the value.
    const unsendable = encodeRequestHead('GET', route.path, headers);
    if (typeof unsendable !== 'string') return unsendable;
    if (signal.aborted) return { kind: 'aborted' };
    const giveUp = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const endedBy = (): OpenedSocket => ({ kind: signal.aborted ? 'aborted' : 'idle' });
    const connection = await route.open({ giveUp });
    if ('kind' in connection) return giveUp.aborted ? endedBy() : { ...connection, proxy: route.proxy! };
    const opened = await openWebSocketOver(connection, `${target.origin}${route.path}`, { headers, maxBytes, giveUp });
    return opened.kind === 'given-up' ? endedBy() : opened;
  };
}

type Outcome = Extract<OpenedSocket, { kind: 'open' | 'declined' | 'lost' }> | { readonly kind: 'given-up' };

export function openWebSocketOver(
  connection: Socket,
  address: string,
  { giveUp, headers, maxBytes }: Pick<SocketRequest, 'headers' | 'maxBytes'> & { readonly giveUp: AbortSignal },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = new WebSocket(address, {
      ...socketOptions,
      headers,
      maxPayload: maxBytes,
      createConnection: () => connection,
    });
    let head: HttpHead | undefined;
    let isSettled = false;
    const settle = (outcome: Outcome): void => {
      if (isSettled) return;
      isSettled = true;
      giveUp.removeEventListener('abort', onGiveUp);
      if (outcome.kind !== 'open') connection.destroy();
      resolve(outcome);
    };
    const onGiveUp = (): void => settle({ kind: 'given-up' });
    giveUp.addEventListener('abort', onGiveUp, { once: true });
    if (giveUp.aborted) onGiveUp();
    // Bytes that arrive with the answer are already a message.
    socket.on('open', () => settle({ kind: 'open', socket: new WebSocketConnection(socket, connection) }));
    socket.on('upgrade', (message) => {
      head = headOf(message);
    });
    const decline = async (message: IncomingMessage): Promise<void> => {
      const late = setTimeout(() => connection.destroy(), longestWordsMs);
      const words = await beginningOf(message);
      clearTimeout(late);
      settle({ kind: 'declined', head: headOf(message), words });
    };
    socket.on('unexpected-response', (_, message) => void decline(message));
    // Never removed: an `error` without a listener would end the process.
    socket.on('error', ({ message: words, code = 'ERROR' }: NodeJS.ErrnoException) =>
      settle(head === undefined ? { kind: 'lost', code, stale: false } : { kind: 'declined', head, words }),
    );
  });
}

async function beginningOf(message: IncomingMessage): Promise<string> {
  const held = new BoundedBuffer(mostWordBytes);
  try {
    for await (const bytes of message as AsyncIterable<Buffer>) {
      held.add(bytes.subarray(0, mostWordBytes - held.length));
      if (held.length === mostWordBytes) break;
    }
  } catch {
    // Whatever has come is sufficient.
  }
  return held.take().toString('utf8');
}

const headOf = ({ statusCode: status = 0, headers }: IncomingMessage): HttpHead => ({
  status,
  headers: headers as HttpHeaders,
});
