import type { Socket } from 'node:net';
import { defined } from '../../protocol/defined.ts';
import { type DeflateTerms, MessageDeflate } from './message-deflate.ts';
import { frameParser, opcode, type ReceivedFrame } from './frame-parser.ts';
import { closeContent, frameBytes } from './frame-writer.ts';

/** `ended`: no more will come. `why` is the rest of a sentence, such as "closed the connection (code 1000)". */
export type SocketRead =
  | { readonly kind: 'messages'; readonly messages: readonly Buffer[] }
  /** `code`: of the rule that the server broke, if it did. */
  | { readonly kind: 'ended'; readonly why: string; readonly code?: number }
  | { readonly kind: 'idle' };

export interface WebSocketOptions {
  readonly socket: Socket;
  /** What came behind the answer to the upgrade. */
  readonly head: Buffer;
  /** That one message may have. */
  readonly maxBytes: number;
  /** Undefined: nothing is compressed. */
  readonly terms: DeflateTerms | undefined;
}

interface FrameContent {
  readonly pieces: readonly Uint8Array[];
  readonly isCompressed?: true;
}

/** More than this is not read ahead: a slow reader slows the server down. */
const mostAhead = 1024 * 1024;
/** About what a message takes in memory besides its bytes. */
const messageCost = 128;
const longestReason = 200;
/** Between two requests, and for one answer: a sign of life each second lasts for hours. */
const mostControlFrames = 20_000;
/** While more than this waits to be sent, pings are not answered: the server does not read. */
const mostUnsent = 64 * 1024;

/**
 * A WebSocket of a client, RFC 6455. It answers pings by itself. While it rests, between two requests, it does not keep
 * the process alive.
 */
export class WebSocketConnection {
  readonly #socket: Socket;
  readonly #maxBytes: number;
  readonly #deflate: MessageDeflate | undefined;
  /** Frames are taken in their order, and inflating them takes time. */
  #taking: Promise<void> | undefined;
  #isOver = false;
  readonly #parse: (chunk: Uint8Array) => readonly ReceivedFrame[];
  #messages: Buffer[] = [];
  #bytesAhead = 0;
  #end: Extract<SocketRead, { kind: 'ended' | 'idle' }> | undefined;
  #wake: (() => void) | undefined;
  /** Whether anything came since the last request. */
  #heard = false;
  /** Since the last request. */
  #controlFrames = 0;

  constructor({ socket, head, maxBytes, terms }: WebSocketOptions) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#deflate = terms && new MessageDeflate(terms, 'client');
    this.#parse = frameParser({ masked: false, maxBytes, mayCompress: terms !== undefined });
    socket.setNoDelay(true);
    socket.on('data', this.#onData);
    socket.on('end', () => this.#settle({ kind: 'ended', why: 'ended the connection' }));
    socket.on('error', ({ code = 'ERROR' }: NodeJS.ErrnoException) =>
      this.#settle({ kind: 'ended', why: `lost the connection (${code})` }),
    );
    socket.on('close', () => {
      this.#settle({ kind: 'ended', why: 'closed the connection' });
      this.#deflate?.close();
    });
    if (head.length > 0) this.#onData(head);
    this.rest();
  }

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /** Sends one message. Resolves when the system has it, or the connection is gone. */
  async send(pieces: readonly Uint8Array[]): Promise<void> {
    this.#socket.ref();
    // What the server says without being asked belongs to no answer.
    this.#messages = [];
    this.#bytesAhead = 0;
    this.#heard = false;
    this.#controlFrames = 0;
    this.#resume();
    const content = this.isOpen ? await this.#deflate?.compress(pieces) : undefined;
    await this.#write(opcode.text, content === undefined ? { pieces } : { pieces: [content], isCompressed: true });
  }

  /** Asks for a sign of life. */
  ping(): void {
    void this.#write(opcode.ping, { pieces: [] });
  }

  /**
   * The next messages, or how the connection ended; the latter again and again. When no message comes within `idleMs`,
   * or nothing at all within `firstMs` since the last `send`, the connection is given up.
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
        if (this.#messages.length > 0) {
          const messages = this.#messages;
          this.#messages = [];
          this.#bytesAhead = 0;
          this.#resume();
          return { kind: 'messages', messages };
        }
        if (this.#end !== undefined) {
          if (this.#taking === undefined) return this.#end;
          await this.#taking;
          continue;
        }
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

  /** Until the next request. */
  rest(): void {
    this.#socket.setTimeout(0);
    this.#socket.unref();
  }

  /** Says goodbye, and waits for nothing. */
  close(code = 1000): void {
    if (this.isOpen) void this.#write(opcode.close, { pieces: [closeContent(code)] });
    this.#settle({ kind: 'ended', why: 'is closed' });
    this.#socket.end();
    this.#socket.unref();
    // A server that does not answer must not hold it open.
    this.#socket.setTimeout(1000, () => this.#socket.destroy());
  }

  destroy(): void {
    this.#settle({ kind: 'ended', why: 'is closed' });
    this.#socket.destroy();
  }

  #write(code: number, { pieces, isCompressed }: FrameContent): Promise<void> {
    const mask = process.getBuiltinModule('node:crypto').randomBytes(4);
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve();
      const form = { opcode: code, mask, ...defined({ isCompressed }) };
      this.#socket.write(frameBytes(form, pieces), () => resolve());
    });
  }

  #resume(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  #settle(end: Extract<SocketRead, { kind: 'ended' | 'idle' }>): void {
    this.#end ??= end;
    this.#wake?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#heard = true;
    const frames = this.#parse(chunk);
    if (frames.some((frame) => frame.kind === 'message' && frame.isCompressed)) {
      this.#socket.pause();
      this.#taking = this.#inflateAll(frames).finally(() => {
        this.#taking = undefined;
        this.#taken();
      });
      return;
    }
    for (const frame of frames) this.#take(frame);
    this.#taken();
  };

  #taken(): void {
    if (this.#bytesAhead > mostAhead) this.#socket.pause();
    else this.#resume();
    this.#wake?.();
  }

  /** Nothing more comes until these are taken: the socket is paused. */
  async #inflateAll(frames: readonly ReceivedFrame[]): Promise<void> {
    for (const frame of frames) {
      if (frame.kind !== 'message' || !frame.isCompressed) {
        this.#take(frame);
        continue;
      }
      const data = await this.#deflate!.inflate(frame.data, this.#maxBytes);
      if (data === 'large') return this.#refuse(1009, 'sent a message that is too large');
      if (data === undefined) return this.#refuse(1007, 'sent a message that cannot be inflated');
      this.#take({ ...frame, data });
    }
  }

  #take(frame: ReceivedFrame): void {
    if (this.#isOver) return;
    switch (frame.kind) {
      case 'message':
        if (!isText(frame.data)) return this.#refuse(1007, 'sent text that is not UTF-8');
        this.#messages.push(frame.data);
        this.#bytesAhead += frame.data.length + messageCost;
        return;
      case 'ping':
      case 'pong':
        if (++this.#controlFrames > mostControlFrames) return this.#refuse(1008, 'sent too many signs of life');
        if (frame.kind === 'ping' && this.#socket.writableLength < mostUnsent)
          void this.#write(opcode.pong, { pieces: [frame.data] });
        return;
      case 'close': {
        const reason = frame.reason === '' ? '' : `: ${frame.reason.slice(0, longestReason)}`;
        const why = `closed the connection (code ${frame.code}${reason})`;
        void this.#write(opcode.close, { pieces: frame.code === 1005 ? [] : [closeContent(frame.code)] });
        this.#isOver = true;
        this.#settle({ kind: 'ended', why });
        this.#socket.end();
        return;
      }
      case 'wrong':
        return this.#refuse(frame.code, frame.why);
    }
  }

  /** The server does not keep to the protocol. */
  #refuse(code: number, why: string): void {
    void this.#write(opcode.close, { pieces: [closeContent(code)] });
    this.#isOver = true;
    this.#settle({ kind: 'ended', why, code });
    this.#socket.destroySoon();
  }

  #timeOut(): true {
    this.#settle({ kind: 'idle' });
    this.#socket.destroy();
    return true;
  }
}

function isText(data: Buffer): boolean {
  return process.getBuiltinModule('node:buffer').isUtf8(data);
}
