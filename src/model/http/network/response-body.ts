import type { IncomingMessage } from 'node:http';

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
  const chunks: Uint8Array[] = [];
  for (let size = 0; ;) {
    const part = await body.read(idleMs);
    if (part.kind === 'end') return { kind: 'whole', text: Buffer.concat(chunks).toString('utf8') };
    if (part.kind === 'chunk') {
      size += part.bytes.length;
      chunks.push(part.bytes);
      if (size <= maxBytes) continue;
    }
    body.close();
    return part.kind === 'chunk' ? { kind: 'large' } : part;
  }
}

/** A response that finished may hold back its last bytes this long before its connection is given up. */
const drainMs = 1000;
const drainBytes = 64 * 1024;

/** A body, read on demand: a slow reader slows the server down. Its owner ends it by `close` or `release`. */
export class ResponseBody {
  readonly #message: IncomingMessage;
  /** Kept: the message loses it when the connection goes back to the pool. */
  readonly #socket: IncomingMessage['socket'];
  readonly #signal: AbortSignal;
  #outcome: Exclude<Read, { kind: 'chunk' }> | undefined;
  #wake: (() => void) | undefined;

  constructor(message: IncomingMessage, signal: AbortSignal) {
    this.#message = message;
    this.#socket = message.socket;
    this.#signal = signal;
    message.on('readable', this.#onReadable);
    message.on('end', this.#onEnd);
    message.on('error', this.#onError);
    message.on('close', this.#onClose);
    // Idle time is counted by the socket: it is time on the network, not time of the program.
    this.#socket.on('timeout', this.#onTimeout);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /**
   * The next bytes, or how the body ended; the latter again and again. Abort goes before bytes that wait. When the
   * server sends nothing for `idleMs` while we wait, the connection is closed.
   */
  async read(idleMs: number): Promise<Read> {
    for (;;) {
      if (this.#outcome?.kind === 'aborted') return this.#outcome;
      const bytes = this.#message.read() as Buffer | null;
      if (bytes !== null) return { kind: 'chunk', bytes };
      if (this.#outcome !== undefined) return this.#outcome;
      this.#socket.setTimeout(idleMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  /** Ends the connection. */
  close(): void {
    this.#forget();
    this.#message.destroy();
  }

  /** Gives the connection back once the rest has come. Waits for that only when all of it is here already. */
  async release(): Promise<void> {
    this.#forget();
    const message = this.#message;
    const socket = this.#socket;
    if (message.readableEnded || message.destroyed) return;
    let drained = 0;
    const giveUp = (): void => {
      message.destroy();
    };
    message.on('data', (bytes: Buffer) => {
      drained += bytes.length;
      if (drained > drainBytes) giveUp();
    });
    socket.once('timeout', giveUp);
    socket.setTimeout(drainMs);
    // Nothing waits for these bytes, so they must not keep the process alive. The pool takes the socket back in.
    socket.unref();
    const over = new Promise<void>((resolve) => {
      message.once('close', () => {
        socket.off('timeout', giveUp);
        resolve();
      });
    });
    message.resume();
    if (message.complete) await over;
  }

  #forget(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#socket.off('timeout', this.#onTimeout);
    this.#message.off('readable', this.#onReadable);
  }

  #settle(outcome: Exclude<Read, { kind: 'chunk' }>): void {
    this.#outcome ??= outcome;
    this.#forget();
    this.#wake?.();
  }

  readonly #onReadable = (): void => this.#wake?.();
  readonly #onEnd = (): void => this.#settle({ kind: 'end' });
  readonly #onError = (error: NodeJS.ErrnoException): void =>
    this.#settle({ kind: 'cut', code: error.code ?? 'ERROR' });
  readonly #onClose = (): void => this.#settle({ kind: 'cut', code: 'closed' });

  readonly #onTimeout = (): void => {
    // A reader that is busy elsewhere is not waiting for the server.
    if (this.#wake === undefined) return;
    this.#settle({ kind: 'idle' });
    this.close();
  };

  readonly #onAbort = (): void => {
    this.#outcome = { kind: 'aborted' };
    this.close();
    this.#wake?.();
  };
}
