import { isHeaderName, isHeaderValue } from '../../../../protocol/http.ts';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Values of a repeated name are joined by commas; for names that may not repeat, the first counts. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>;
export type HttpHead = { readonly status: number; readonly headers: HttpHeaders };
export const mostHeadBytes = 64 * 1024;
const mostFedBytes = 64 * 1024;

/**
 * Node's HTTP client used only as a parser of one answer: it is fed on demand, and its writes go nowhere. A request can
 * thus leave before the client is loaded, which takes 5 ms at start, and no listener of it stays on a kept connection.
 */
export class HttpAnswerParser {
  readonly request: ClientRequest;
  readonly #stream: Duplex;

  constructor({ isTunnel = false }: { readonly isTunnel?: boolean } = {}) {
    const { Duplex: Stream } = process.getBuiltinModule('node:stream');
    const stream = new Stream({ read() {}, write: (_bytes, _encoding, done) => done() });
    // A `readable` listener keeps the stream from flowing.
    this.#stream = stream.on('readable', () => {});
    // Importing the module would cost every start 33 ms.
    this.request = process.getBuiltinModule('node:http').request({
      method: isTunnel ? 'CONNECT' : 'GET',
      headers: { connection: 'keep-alive' },
      createConnection: () => stream,
      maxHeaderSize: mostHeadBytes,
      insecureHTTPParser: false,
    });
    this.request.end();
  }

  /** Takes waiting bytes; false if there are none. The last is read alone: bytes behind the answer stay unread. */
  feed(socket: Socket): boolean {
    const most = Math.max(1, socket.readableLength - 1);
    const bytes = socket.read(Math.min(most, mostFedBytes)) as Buffer | null;
    if (bytes === null || this.#stream.destroyed) return false;
    this.#stream.push(bytes);
    this.#stream.read();
    return true;
  }

  /** Tells the parser that the connection has ended: that completes some answers. */
  end(): void {
    if (this.#stream.destroyed || this.#stream.readableEnded) return;
    this.#stream.push(null);
    this.#stream.read();
  }

  /** Stops reading. Otherwise Node's parser would be kept forever. */
  close(error?: Error): void {
    this.#stream.destroy(error);
  }

  get isReusable(): boolean {
    return this.#stream.writable;
  }
}

export interface HeadOfAnswer {
  readonly kind: 'answer';
  readonly message: IncomingMessage;
  readonly reader: HttpAnswerParser;
  readonly problem: () => string | undefined;
}

/** After this head the connection carries another protocol than HTTP. */
export type SwitchedProtocol = { readonly kind: 'other-protocol'; readonly status: number };

export type NoHead =
  | { readonly kind: 'lost'; readonly code: string; readonly isSilent: boolean }
  | { readonly kind: 'idle' }
  | { readonly kind: 'given-up' };

export interface HeadWait {
  /** Absent: only `giveUp` limits the wait. */
  readonly idleMs?: number;
  readonly giveUp: AbortSignal;
}

/**
 * Waits for the head of an answer. It is the only reader of the socket until then; afterwards the caller is. `sent`
 * resolves when the request has left.
 */
export function awaitHead(
  socket: Socket,
  { idleMs, giveUp }: HeadWait,
  { isTunnel = false, sent }: { readonly isTunnel?: boolean; readonly sent: Promise<unknown> },
): Promise<HeadOfAnswer | SwitchedProtocol | NoHead> {
  return new Promise((resolve) => {
    let [isSilent, isOver, isReady] = [true, false, false];
    let reader: HttpAnswerParser | undefined;
    let problem: string | undefined;
    let waiting: NodeJS.Timeout | undefined;
    const settle = (outcome: HeadOfAnswer | SwitchedProtocol | NoHead): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(waiting);
      giveUp.removeEventListener('abort', onGiveUp);
      socket.off('readable', onReadable).off('timeout', onIdle).off('error', onSocketError);
      socket.off('end', onEnd).off('close', onEnd);
      if (outcome.kind !== 'answer' && outcome.kind !== 'other-protocol') {
        socket.destroy();
        reader?.close();
      }
      resolve(outcome);
    };
    const onGiveUp = (): void => settle({ kind: 'given-up' });
    const onIdle = (): void => settle({ kind: 'idle' });
    const onError = ({ code = 'ERROR' }: NodeJS.ErrnoException): void => {
      problem ??= code;
      settle({ kind: 'lost', code, isSilent });
    };
    /** Bytes that came before the loss may explain it: read them first. */
    let loss: string | undefined;
    const onLoss = (code: string): void => {
      loss ??= code;
      if (socket.readableLength > 0) onReadable();
      if (isReady || socket.readableLength === 0) settle({ kind: 'lost', code: loss, isSilent });
    };
    const onEnd = (): void => onLoss('ECONNRESET');
    const onSocketError = ({ code = 'ERROR' }: NodeJS.ErrnoException): void => {
      problem ??= code;
      onLoss(code);
    };
    const onOtherProtocol = ({ statusCode: status = 0 }: IncomingMessage, _: unknown, behind: Buffer): void => {
      if (behind.length > 0) socket.unshift(behind);
      settle({ kind: 'other-protocol', status });
    };
    const load = (): HttpAnswerParser => {
      const loaded = new HttpAnswerParser({ isTunnel });
      const { request } = loaded;
      request.on('response', (message) => settle({ kind: 'answer', message, reader: loaded, problem: () => problem }));
      request.on('connect', onOtherProtocol).on('upgrade', onOtherProtocol);
      // Never removed: an `error` without a listener would end the process.
      request.on('error', onError);
      request.once('socket', () => {
        isReady = true;
        onReadable();
        if (loss !== undefined) onLoss(loss);
      });
      return loaded;
    };
    const onReadable = (): void => {
      if (isOver) return;
      if (socket.readableLength > 0) isSilent = false;
      // A connection that ends without a byte shows this only when it is read.
      if (isSilent) return void socket.read(0);
      reader ??= load();
      if (!isReady) return;
      while (reader.feed(socket)) if (isOver) return;
      // Informational answers and partial heads do not extend the time.
      if (idleMs !== undefined) waiting ??= setTimeout(onIdle, idleMs);
    };
    if (giveUp.aborted) return onGiveUp();
    giveUp.addEventListener('abort', onGiveUp, { once: true });
    socket.on('readable', onReadable).on('timeout', onIdle).on('error', onSocketError);
    socket.on('end', onEnd).on('close', onEnd);
    if (idleMs !== undefined) socket.setTimeout(idleMs);
    void sent.then(() => isOver || (reader ??= load()));
  });
}

export function encodeRequestHead(method: string, path: string, headers: Readonly<Record<string, string>>) {
  const message = unsendable(path, headers);
  const next = 'Correct the value where it is set, then try again.';
  if (message !== undefined) return { kind: 'unusable', message, next } as const;
  const lines = Object.entries(headers).map(([each, given]) => `${each}: ${given}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Explains why no head can be made of these, without anything secret. */
function unsendable(path: string, headers: Readonly<Record<string, string>>): string | undefined {
  if (!/^[\u0021-\u00FF]+$/.test(path)) return 'The path of a request has a character that no path may have.';
  const wrong = Object.entries(headers).find(([each, given]) => !isHeaderName(each) || !isHeaderValue(given));
  return wrong && `The header ${JSON.stringify(wrong[0])} has a character that no header may have.`;
}
