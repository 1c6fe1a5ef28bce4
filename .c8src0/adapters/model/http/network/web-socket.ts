import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** `why` is the rest of a sentence, such as "closed the connection (code 1000)". */
export type SocketRead =
  | { readonly kind: 'messages'; readonly messages: readonly Buffer[] }
  /** `code`: the protocol rule that the server broke, if any. */
  | { readonly kind: 'ended'; readonly why: string; readonly code?: number }
  | { readonly kind: 'idle' };

/** Read-ahead limit: a slow reader slows the server down. */
const mostAhead = 1024 * 1024;
const messageCost = 128;
const longestReason = 200;
/** Limit per answer, and between two requests: enough for one sign of life per second for hours. */
const mostControlFrames = 20_000;
/** Pings are not answered while more than this is unsent: the server does not read. */
const mostUnsent = 64 * 1024;
const closedWithoutWord = 1006;
const wrong = { binary: 1003, policy: 1008, tooLarge: 1009 };

/** An open client WebSocket. It does not keep the process alive between requests. */
export class WebSocketConnection {
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  #messages: Buffer[] = [];
  #bytesAhead = 0;
  #end: Extract<SocketRead, { kind: 'ended' | 'idle' }> | undefined;
  #wake: (() => void) | undefined;
  #heard = false;
  #controlFrames = 0;

  constructor(socket: WebSocket, connection: Socket) {
    this.#socket = socket;
    this.#connection = connection;
    let lost: string | undefined;
    connection.on('data', () => {
      this.#heard = true;
    });
    connection.on('error', ({ code = 'ERROR' }: NodeJS.ErrnoException) => {
      lost ??= code;
    });
    socket.on('message', this.#onMessage);
    socket.on('ping', (data) => {
      if (this.#takesControlFrame() && socket.bufferedAmount < mostUnsent) socket.pong(data);
    });
    socket.on('pong', () => this.#takesControlFrame());
    socket.on('error', ({ message, code = '' }: NodeJS.ErrnoException) => {
      const isTooLarge = code.endsWith('_LENGTH') && code.startsWith('WS_ERR_UNSUPPORTED_');
      if (isTooLarge) this.#refuse(wrong.tooLarge, 'sent a message that is too large');
      else this.#settle({ kind: 'ended', why: `broke the rules of WebSockets (${message})` });
    });
    socket.on('close', (code, reason) => {
      const said = reason.length === 0 ? '' : `: ${reason.toString('utf8').slice(0, longestReason)}`;
      const how = lost === undefined ? 'ended the connection' : `lost the connection (${lost})`;
      const why = code === closedWithoutWord ? how : `closed the connection (code ${code}${said})`;
      this.#settle({ kind: 'ended', why });
    });
    this.rest();
  }

  get isOpen(): boolean {
    return this.#end === undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves when the system has the message or the connection is gone. */
  send(pieces: readonly Uint8Array[]): Promise<void> {
    this.#connection.ref();
    // Drops messages that came unasked: they belong to no answer.
    this.#take();
    this.#heard = false;
    this.#controlFrames = 0;
    return new Promise((resolve) => {
      this.#socket.send(Buffer.concat(pieces), { binary: false }, () => resolve());
    });
  }

  ping(): void {
    this.#socket.ping();
  }

  /**
   * The next messages, or how the connection ended, on repeated calls too. Gives up after `idleMs` without a message, or
   * `firstMs` after the last `send` without any sign of life.
   */
  async read({ idleMs, firstMs }: { readonly idleMs: number; readonly firstMs?: number }): Promise<SocketRead> {
    const timers: NodeJS.Timeout[] = [];
    let isOver = false;
    // Read first: data may have come while the program was busy.
    const after = (ms: number, isStillIdle: () => boolean): void => {
      const give = (): boolean => isOver || !isStillIdle() || this.#timeOut();
      timers.push(setTimeout(() => setImmediate(give), ms));
    };
    try {
      for (;;) {
        if (this.#messages.length > 0) return { kind: 'messages', messages: this.#take() };
        if (this.#end !== undefined) return this.#end;
        if (timers.length === 0) {
          after(idleMs, () => true);
          if (firstMs !== undefined && firstMs < idleMs && !this.#heard) after(firstMs, () => !this.#heard);
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
    }
  }

  rest(): void {
    this.#connection.unref();
  }

  close(code = 1000): void {
    this.#settle({ kind: 'ended', why: 'is closed' });
    this.#socket.close(code);
    this.#connection.unref();
    this.#connection.destroySoon();
  }

  destroy(): void {
    this.#settle({ kind: 'ended', why: 'is closed' });
    this.#socket.terminate();
  }

  #take(): readonly Buffer[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#bytesAhead = 0;
    if (this.#socket.isPaused) this.#socket.resume();
    return messages;
  }

  readonly #onMessage = (data: Buffer, isBinary: boolean): void => {
    if (this.#end !== undefined) return;
    if (isBinary) return this.#refuse(wrong.binary, 'sent binary data');
    this.#messages.push(data);
    this.#bytesAhead += data.length + messageCost;
    if (this.#bytesAhead > mostAhead) this.#socket.pause();
    this.#wake?.();
  };

  #takesControlFrame(): boolean {
    if (this.#end !== undefined) return false;
    this.#controlFrames += 1;
    if (this.#controlFrames > mostControlFrames) this.#refuse(wrong.policy, 'sent too many signs of life');
    return this.#end === undefined;
  }

  #settle(end: Extract<SocketRead, { kind: 'ended' | 'idle' }>): void {
    this.#end ??= end;
    this.#wake?.();
  }

  #refuse(code: number, why: string): void {
    this.#settle({ kind: 'ended', why, code });
    this.#socket.close(code);
    this.#connection.destroySoon();
  }

  #timeOut(): true {
    this.#settle({ kind: 'idle' });
    this.#socket.terminate();
    return true;
  }
}
