import type { Socket } from 'node:net';
import { awaitHead, type HttpHead, type HttpHeaders, encodeRequestHead } from './http-head.ts';
import type { Proxy, RequestTarget, UnusableNetwork } from './destination.ts';
import { ResponseBody } from './response-body.ts';
import { type NetworkOptions, type ConnectionRoute, createRouteFinder } from './route.ts';

export type OpenedExchange =
  /** `proxy`: passed the answer on, and may have produced it. */
  | { readonly kind: 'answer'; readonly head: HttpHead; readonly body: ResponseBody; readonly proxy?: Proxy }
  /**
   * `stale`: a reused connection turned out to be dead. `proxy`: the lost connection is the one to this proxy, and the
   * state of the server is unknown. `before`: no byte had come of the proxy's answer about the `tunnel`, or of the
   * `answer` itself.
   */
  | {
      readonly kind: 'lost';
      readonly code: string;
      readonly stale: boolean;
      readonly proxy?: Proxy;
      readonly before?: 'tunnel' | 'answer';
      readonly through?: Proxy;
    }
  /** `isForwarding`: the proxy has the request and may be waiting for the server itself. */
  | { readonly kind: 'idle'; readonly proxy?: Proxy; readonly isForwarding?: boolean }
  | { readonly kind: 'refused'; readonly proxy: Proxy; readonly status: number }
  | UnusableNetwork
  | { readonly kind: 'aborted' };

export type Unanswered = Exclude<OpenedExchange, { kind: 'answer' }>;

export interface OutgoingRequest {
  /** Absent: POST. */
  readonly method?: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly idleMs: number;
  readonly after?: Promise<void> | undefined;
  readonly onSent?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** Uncompressed: answers are events that are read as they come. */
const plainOnly = { 'accept-encoding': 'identity', connection: 'keep-alive' };
const proxyWantsAuthorization = 407;
const switchingProtocols = 101;
export type SendHttpRequest = (outgoing: OutgoingRequest) => Promise<OpenedExchange>;

/** Endpoints of one server share their connections. */
export function createSender(network: NetworkOptions): (target: RequestTarget) => SendHttpRequest {
  const routeTo = createRouteFinder(network);
  return (target) => async (outgoing) => {
    const route = routeTo(target);
    return route.kind === 'unusable' ? route : exchange(route, outgoing);
  };
}

async function exchange(route: ConnectionRoute, outgoing: OutgoingRequest): Promise<OpenedExchange> {
  const { kind, proxy, connections } = route;
  const forwarder = kind === 'forwarded' && proxy !== undefined ? { proxy } : undefined;
  const tunnel = kind === 'tunnelled' && proxy !== undefined ? { through: proxy } : undefined;
  const { signal, idleMs } = outgoing;
  if (signal.aborted) return { kind: 'aborted' };
  const head = headOf(route, outgoing);
  if (typeof head !== 'string') return head;
  const kept = connections.take();
  const socket = kept ?? (await route.open({ idleMs, giveUp: signal }));
  if ('kind' in socket) return signal.aborted ? { kind: 'aborted' } : { ...socket, proxy: proxy! };
  const isReused = kept !== undefined;
  const writing = { isStopped: false, isBegun: false, isSent: false };
  const sent = Promise.withResolvers<void>();
  // Nothing of the request leaves before the connection is open.
  const write = (): void => {
    if (socket.destroyed) return;
    writing.isBegun = true;
    writeAll(socket, head, outgoing.body, (error) => {
      if (error !== undefined && error !== null) return;
      writing.isSent = true;
      outgoing.onSent?.();
      sent.resolve();
    });
  };
  const stop = (): void => {
    writing.isStopped = true;
    socket.destroy();
  };
  if (outgoing.after === undefined) write();
  else void outgoing.after.then(write, stop);
  const answer = await awaitHead(socket, { idleMs, giveUp: signal }, { sent: sent.promise });
  if (answer.kind === 'given-up' || writing.isStopped) return { kind: 'aborted' };
  if (answer.kind === 'idle') return { ...answer, ...(forwarder && { ...forwarder, isForwarding: writing.isSent }) };
  if (answer.kind === 'lost') {
    const { code, isSilent } = answer;
    // A server that has begun to answer is alive. But bytes that are not HTTP may belong to the previous answer.
    const isDead = (isSilent && (code === 'ECONNRESET' || code === 'EPIPE')) || code.startsWith('HPE_');
    const stale = isReused && isDead;
    if (stale) connections.clear();
    return { kind: 'lost', code, stale, ...forwarder, ...tunnel, ...(isSilent && { before: 'answer' }) };
  }
  if (!writing.isBegun) {
    // Unexpected bytes: most likely the server is closing a kept connection.
    socket.destroy();
    if (answer.kind === 'answer') answer.reader.close();
    if (isReused) connections.clear();
    return { kind: 'lost', code: 'ECONNRESET', stale: isReused, ...forwarder };
  }
  const status = answer.kind === 'answer' ? (answer.message.statusCode ?? 0) : switchingProtocols;
  if (answer.kind !== 'answer' || status === switchingProtocols) {
    socket.destroy();
    return { kind: 'lost', code: 'HPE_UNEXPECTED_UPGRADE', stale: false, ...forwarder };
  }
  // This answer comes from the proxy; no server was asked.
  if (forwarder !== undefined && status === proxyWantsAuthorization) {
    socket.destroy();
    return { kind: 'refused', ...forwarder, status };
  }
  // Only cookies come as a list.
  const headers = answer.message.headers as HttpHeaders;
  const giveBack = (isReusable: boolean): void => {
    if (isReusable && writing.isSent) connections.give(socket, headers['keep-alive']);
    else socket.destroy();
  };
  const body = new ResponseBody({ ...answer, socket, signal, giveBack });
  return { kind: 'answer', head: { status, headers }, body, ...forwarder };
}

function headOf({ path, headers: ofRoute }: ConnectionRoute, { method, headers: given, body }: OutgoingRequest) {
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const framing: Record<string, string> = method === 'GET' ? {} : { 'content-length': String(length) };
  return encodeRequestHead(method ?? 'POST', path, { ...given, ...framing, ...ofRoute, ...plainOnly });
}

/** In one system call where possible, without copying a long history into one buffer. */
function writeAll(socket: Socket, head: string, pieces: readonly Uint8Array[], sent: (error?: Error | null) => void) {
  const body = pieces.filter((piece) => piece.length > 0);
  const last = body.pop();
  socket.cork();
  if (last === undefined) socket.write(head, 'latin1', sent);
  else socket.write(head, 'latin1');
  for (const piece of body) socket.write(piece);
  if (last !== undefined) socket.write(last, sent);
  socket.uncork();
}
