import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { ResponseBody } from './response-body.ts';
import type { Target } from './target.ts';

/** How the first half of an exchange went: to the head of the answer. */
export type Opened =
  | { readonly kind: 'answer'; readonly message: IncomingMessage; readonly body: ResponseBody }
  /** `stale`: the connection was an old one, kept for reuse, and turned out to be dead. */
  | { readonly kind: 'lost'; readonly code: string; readonly stale: boolean }
  | { readonly kind: 'idle' }
  | { readonly kind: 'aborted' };

export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly idleMs: number;
  readonly after?: Promise<void> | undefined;
  readonly onSent?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** Sends one request to its target over connections that are kept for the next one. */
export type Send = (outgoing: Outgoing) => Promise<Opened>;

/** Endpoints of one server share their connections. */
export function sender(): (target: Target) => Send {
  const agents = new Map<Target['protocol'], Agent>();
  return ({ protocol, host, port, path }) => {
    // Loaded on use and without an ESM import, which would cost every start of the program 33 ms.
    const http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    const agent = agents.get(protocol) ?? new http.Agent({ keepAlive: true, noDelay: true });
    agents.set(protocol, agent);
    return (outgoing) => exchange((options) => http.request({ ...options, agent, host, port, path }), outgoing);
  };
}

function exchange(request: (options: RequestOptions) => ClientRequest, outgoing: Outgoing): Promise<Opened> {
  const { signal, idleMs } = outgoing;
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'aborted' });
    const length = outgoing.body.reduce((sum, piece) => sum + piece.length, 0);
    const headers = { ...outgoing.headers, 'content-length': String(length) };
    const client = request({ method: 'POST', headers, timeout: idleMs });
    const settle = (opened: Opened): void => {
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
      settle({ kind: 'answer', message, body: new ResponseBody(message, signal) });
    });
    client.on('timeout', () => {
      // Once the head is here the body counts for itself.
      if (answered) return;
      settle({ kind: 'idle' });
      client.destroy();
    });
    // Stays after the promise is settled: an error that nobody listens to would end the process.
    client.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? 'ERROR';
      settle({ kind: 'lost', code, stale: client.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE') });
    });
    client.on('close', () => settle({ kind: 'lost', code: 'closed', stale: false }));
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
