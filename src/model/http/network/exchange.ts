import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Proxy, Unusable } from './proxy.ts';
import { ResponseBody } from './response-body.ts';
import { type NetworkOptions, type Route, routes } from './route.ts';
import type { Target } from './target.ts';
import { TunnelError } from './tunnel.ts';

/** How the first half of an exchange went: to the head of the answer. */
export type Opened =
  | { readonly kind: 'answer'; readonly message: IncomingMessage; readonly body: ResponseBody }
  /**
   * `stale`: the connection was an old one, kept for reuse, and turned out to be dead. `proxy`: it is the one to this
   * proxy, and what became of the server is not known.
   */
  | { readonly kind: 'lost'; readonly code: string; readonly stale: boolean; readonly proxy?: Proxy }
  | { readonly kind: 'idle'; readonly proxy?: Proxy }
  /** The proxy did not let the request pass. */
  | { readonly kind: 'refused'; readonly proxy: Proxy; readonly status: number }
  | Unusable
  | { readonly kind: 'aborted' };

export interface Outgoing {
  /** Absent: POST. */
  readonly method?: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly idleMs: number;
  readonly after?: Promise<void> | undefined;
  readonly onSent?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

const proxyWantsAuthorization = 407;

/** Sends one request to its target over connections that are kept for the next one. */
export type Send = (outgoing: Outgoing) => Promise<Opened>;

/** Endpoints of one server share their connections. */
export function sender(network: NetworkOptions): (target: Target) => Send {
  const routeTo = routes(network);
  return (target) => async (outgoing) => {
    const route = routeTo(target);
    return route.kind === 'unusable' ? route : exchange(route, outgoing);
  };
}

function exchange({ kind, proxy, request }: Route, outgoing: Outgoing): Promise<Opened> {
  const forwarder = kind === 'forwarded' && proxy !== undefined ? { proxy } : undefined;
  const { signal, idleMs } = outgoing;
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'aborted' });
    const length = outgoing.body.reduce((sum, piece) => sum + piece.length, 0);
    const { method = 'POST' } = outgoing;
    const headers = method === 'GET' ? outgoing.headers : { ...outgoing.headers, 'content-length': String(length) };
    const client = request({ method, headers, timeout: idleMs, giveUp: signal });
    let waiting: NodeJS.Timeout | undefined;
    const settle = (opened: Opened): void => {
      clearTimeout(waiting);
      signal.removeEventListener('abort', onAbort);
      resolve(opened);
    };
    let answered = false;
    const onAbort = (): void => {
      settle({ kind: 'aborted' });
      client.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    client.on('response', (message) => {
      answered = true;
      // Whatever stands in it comes from the proxy, and no server was asked.
      if (forwarder !== undefined && message.statusCode === proxyWantsAuthorization) {
        message.destroy();
        return settle({ kind: 'refused', ...forwarder, status: proxyWantsAuthorization });
      }
      return settle({ kind: 'answer', message, body: new ResponseBody(message, signal) });
    });
    const giveUp = (): void => {
      // Once the head is here the body counts for itself.
      if (answered) return;
      settle({ kind: 'idle' });
      client.destroy();
    };
    client.on('timeout', giveUp);
    // Hints before the head are no answer: however many come, they give the server no more time.
    client.once('information', () => {
      waiting = setTimeout(giveUp, idleMs);
    });
    // Stays after the promise is settled: an error without a listener would end the process.
    client.on('error', (error: NodeJS.ErrnoException) => {
      if (error instanceof TunnelError && proxy !== undefined) return settle({ ...error.trouble, proxy });
      const code = error.code ?? 'ERROR';
      const stale = client.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
      settle({ kind: 'lost', code, stale, ...forwarder });
    });
    client.on('close', () => settle({ kind: 'lost', code: 'closed', stale: false, ...forwarder }));
    if (outgoing.onSent !== undefined) client.once('finish', outgoing.onSent);
    if (outgoing.after === undefined) return writeAll(client, outgoing.body);
    // The connection is opened meanwhile: no header leaves before the first byte of the body.
    outgoing.after.then(() => client.destroyed || writeAll(client, outgoing.body), onAbort);
  });
}

/** In one system call where possible, and without copying a long history into one buffer. */
function writeAll(client: ClientRequest, pieces: readonly Uint8Array[]): void {
  client.cork();
  for (const piece of pieces) if (piece.length > 0) client.write(piece);
  client.uncork();
  client.end();
}
