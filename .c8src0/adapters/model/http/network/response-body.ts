import type { Socket } from 'node:net';
import { BoundedBuffer } from '../../../../base/bounded-buffer.ts';
import type { HeadOfAnswer } from './http-head.ts';

export type BodyRead =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'cut'; readonly code: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'aborted' };

/** Reads the whole body as text, or returns how it ended early; the body is then closed. `large`: over the limit. */
export async function readWholeBody(
  body: ResponseBody,
  { idleMs, maxBytes }: { readonly idleMs: number; readonly maxBytes: number },
): Promise<
  Exclude<BodyRead, { kind: 'chunk' | 'end' }> | { readonly kind: 'large' } | { kind: 'whole'; text: string }
> {
  const held = new BoundedBuffer(maxBytes);
  for (;;) {
    const part = await body.read(idleMs);
    if (part.kind === 'end') return { kind: 'whole', text: held.take().toString('utf8') };
    if (part.kind === 'chunk' && held.add(part.bytes)) continue;
    body.close();
    return part.kind === 'chunk' ? { kind: 'large' } : part;
  }
}

const drainMs = 1000;
const drainBytes = 64 * 1024;

export interface BodySource extends Omit<HeadOfAnswer, 'kind'> {
  readonly socket: Socket;
  readonly signal: AbortSignal;
  giveBack(isReusable: boolean): void;
}

/** A body read on demand: a slow reader slows the server down. Its owner ends it with `close` or `release`. */
export class ResponseBody {
  readonly #source: BodySource;
  #outcome: Exclude<BodyRead, { kind: 'chunk' }> | undefined;
  #wake: (() => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
    const { message, socket, signal } = source;
    socket.on('readable', this.#onArrival).on('error', this.#onLost);
    socket.on('end', this.#onLost).on('close', this.#onLost);
    message.on('readable', this.#onArrival).on('end', this.#onEnd).on('error', this.#onError);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (message.errored) this.#onError(message.errored);
    if (socket.destroyed) this.#onLost();
    if (signal.aborted) this.#onAbort();
  }

  /**
   * The next bytes, or how the body ended, on repeated calls too. An abort wins over waiting bytes. `idleMs` without a byte
   * of the body closes the connection.
   */
  async read(idleMs: number): Promise<BodyRead> {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    // Bytes that came while the program was busy are read first.
    const onTimeout = (): void => void setImmediate(() => isOver || this.#timeOut());
    try {
      for (;;) {
        if (this.#outcome?.kind === 'aborted') return this.#outcome;
        const bytes = this.#next();
        if (bytes !== undefined) return { kind: 'chunk', bytes };
        if (this.#outcome !== undefined) return this.#outcome;
        // Bytes outside the body, such as chunk sizes, do not extend the time.
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

  /** Ends the connection, unless the body is complete: then it was already given back. */
  close(): void {
    this.#forget();
    if (this.#outcome?.kind === 'end') return;
    this.#source.socket.destroy();
    this.#source.reader.close();
  }

  /** Gives the connection back once the rest of the body has come. Returns earlier unless the rest is already here. */
  async release(): Promise<void> {
    if (this.#outcome !== undefined) return;
    const { message, socket, signal } = this.#source;
    signal.removeEventListener('abort', this.#onAbort);
    // Nothing waits for these bytes, so they must not keep the process alive.
    socket.unref();
    let drained = 0;
    await new Promise<void>((resolve) => {
      // Total time, not silence: a trickling server is given up as well.
      const late = setTimeout(() => this.close(), drainMs).unref();
      const drain = (): void => {
        for (let bytes = this.#next(); bytes !== undefined; bytes = this.#next()) drained += bytes.length;
        if (this.#outcome === undefined && drained <= drainBytes) return message.complete ? undefined : resolve();
        clearTimeout(late);
        this.close();
        resolve();
      };
      this.#wake = drain;
      drain();
    });
  }

  #next(): Buffer | undefined {
    const { message, socket, reader } = this.#source;
    const wantsMore = (): boolean => message.readableLength === 0 || socket.readableLength === 1;
    while (!message.complete && wantsMore() && reader.feed(socket));
    return (message.read() as Buffer | null) ?? undefined;
  }

  #forget(): void {
    const { message, socket, signal } = this.#source;
    signal.removeEventListener('abort', this.#onAbort);
    socket.off('readable', this.#onArrival).off('error', this.#onLost);
    socket.off('end', this.#onLost).off('close', this.#onLost);
    message.off('readable', this.#onArrival).off('end', this.#onEnd).off('error', this.#onError);
  }

  #settle(outcome: Exclude<BodyRead, { kind: 'chunk' }>): void {
    this.#outcome ??= outcome;
    this.#forget();
    this.#wake?.();
  }

  readonly #onArrival = (): void => this.#wake?.();
  readonly #onError = ({ code = 'ERROR' }: NodeJS.ErrnoException): void =>
    this.#settle({ kind: 'cut', code: this.#source.problem() ?? code });

  readonly #onLost = (error?: unknown): void => {
    if (error instanceof Error) this.#source.reader.close(error);
    else this.#source.reader.end();
  };

  readonly #onEnd = (): void => {
    const { reader, giveBack } = this.#source;
    this.#settle({ kind: 'end' });
    giveBack(reader.isReusable);
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
