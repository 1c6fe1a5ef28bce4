import type { Socket } from 'node:net';
import { BoundedBuffer } from '../../../protocol/bounded-buffer.ts';
import { NotHttp } from './http-head.ts';
import type { HttpPart, HttpReader } from './http-reader.ts';
import { unread } from './await-head.ts';

export type Read =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'cut'; readonly code: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'aborted' };

/** All of a body as text, or how it ended before: then it is closed. `large`: it has more bytes than are taken. */
export async function readWhole(
  body: ResponseBody,
  { idleMs, maxBytes }: { readonly idleMs: number; readonly maxBytes: number },
): Promise<Exclude<Read, { kind: 'chunk' | 'end' }> | { readonly kind: 'large' } | { kind: 'whole'; text: string }> {
  const held = new BoundedBuffer(maxBytes);
  for (;;) {
    const part = await body.read(idleMs);
    if (part.kind === 'end') return { kind: 'whole', text: held.take().toString('utf8') };
    if (part.kind === 'chunk' && held.add(part.bytes)) continue;
    body.close();
    return part.kind === 'chunk' ? { kind: 'large' } : part;
  }
}

/** A response that finished may take this long for its last bytes before its connection is given up. */
const drainMs = 1000;
const drainBytes = 64 * 1024;

export interface BodySource {
  readonly socket: Socket;
  readonly reader: HttpReader;
  /** What has been read of it already. */
  readonly parts: readonly HttpPart[];
  readonly signal: AbortSignal;
  /** All of it has come. */
  giveBack(isReusable: boolean): void;
}

/** A body, read on demand: a slow reader slows the server down. Its owner ends it by `close` or `release`. */
export class ResponseBody {
  readonly #source: BodySource;
  readonly #parts: HttpPart[];
  #outcome: Exclude<Read, { kind: 'chunk' }> | undefined;
  #wake: (() => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
    this.#parts = [...source.parts];
    const { socket, signal } = source;
    socket.on('readable', this.#onReadable);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /**
   * The next bytes, or how the body ended; the latter again and again. Abort goes before bytes that wait. When no byte
   * of the body comes within `idleMs`, the connection is closed.
   */
  async read(idleMs: number): Promise<Read> {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    // Bytes that came while the program was busy are read first.
    const onTimeout = (): void => void setImmediate(() => isOver || this.#timeOut());
    try {
      for (;;) {
        if (this.#outcome?.kind === 'aborted') return this.#outcome;
        const part = this.#next();
        if (part?.kind === 'bytes') return { kind: 'chunk', bytes: part.bytes };
        if (part !== undefined) continue;
        if (this.#outcome !== undefined) return this.#outcome;
        // Bytes beside the body, such as the size of a chunk, give the server no more time.
        timer ??= setTimeout(onTimeout, idleMs);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  /** Ends the connection, unless all has come: then it was given back. */
  close(): void {
    this.#forget();
    if (this.#outcome?.kind !== 'end') this.#source.socket.destroy();
  }

  /** Gives the connection back once the rest has come. */
  release(): void {
    if (this.#outcome !== undefined) return;
    const { socket, signal } = this.#source;
    signal.removeEventListener('abort', this.#onAbort);
    let drained = 0;
    const drain = (): void => {
      for (let part = this.#next(); part !== undefined; part = this.#next()) {
        if (part.kind === 'bytes') drained += part.bytes.length;
      }
      if (this.#outcome === undefined && drained <= drainBytes) return;
      socket.off('readable', drain);
      clearTimeout(late);
      if (this.#outcome === undefined) this.#giveUp();
    };
    // By the clock and not by silence: a server that trickles is given up as well.
    const late = setTimeout(this.#giveUp, drainMs).unref();
    // Nothing waits for these bytes, so they must not keep the process alive.
    socket.unref();
    socket.off('readable', this.#onReadable).on('readable', drain);
    drain();
  }

  /** The next part that has come. With the end, the connection is no longer ours. */
  #next(): HttpPart | undefined {
    const { socket, reader, giveBack } = this.#source;
    while (this.#parts.length === 0 && this.#outcome?.kind !== 'end') {
      const bytes = unread(socket);
      if (bytes === null) return undefined;
      try {
        this.#parts.push(...reader.push(bytes));
      } catch (error) {
        if (!(error instanceof NotHttp)) throw error;
        this.#settle({ kind: 'cut', code: error.code });
        socket.destroy();
        return undefined;
      }
    }
    const part = this.#parts.shift();
    if (part?.kind === 'end') {
      this.#settle({ kind: 'end' });
      giveBack(part.isReusable);
    }
    return part;
  }

  readonly #giveUp = (): void => {
    this.#forget();
    this.#source.socket.destroy();
  };

  #forget(): void {
    const { socket, signal } = this.#source;
    signal.removeEventListener('abort', this.#onAbort);
    socket.off('readable', this.#onReadable);
    socket.off('end', this.#onEnd).off('error', this.#onError).off('close', this.#onClose);
  }

  #settle(outcome: Exclude<Read, { kind: 'chunk' }>): void {
    this.#outcome ??= outcome;
    this.#forget();
    this.#wake?.();
  }

  readonly #onReadable = (): void => this.#wake?.();
  readonly #onError = (error: NodeJS.ErrnoException): void =>
    this.#settle({ kind: 'cut', code: error.code ?? 'ERROR' });
  readonly #onClose = (): void => this.#settle({ kind: 'cut', code: 'ECONNRESET' });

  readonly #onEnd = (): void => {
    const end = this.#source.reader.ended();
    if (end === undefined) return this.#onClose();
    this.#parts.push(end);
    this.#wake?.();
  };

  #timeOut(): void {
    this.#settle({ kind: 'idle' });
    this.close();
  }

  readonly #onAbort = (): void => {
    this.#outcome = { kind: 'aborted' };
    this.close();
    this.#wake?.();
  };
}
