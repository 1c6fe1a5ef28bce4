import { BoundedBuffer } from '../../../../base/bounded-buffer.ts';
import type { RequestId } from '@modelcontextprotocol/server';

/** Bytes and levels. Enforced before parsing, slow for millions of levels. Images are the longest useful content. */
export const messageLimits = { longest: 16 * 1024 * 1024, deepest: 100 };
export const messageTooDeep = `The message has more than ${messageLimits.deepest} levels of lists and objects.`;

export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  /** Longer, or nested deeper, than allowed. Only its id was kept. */
  | { readonly kind: 'too long' | 'too deep'; readonly id: RequestId | undefined };

const newline = 10;

/** Cuts a stream of bytes into lines. The longest allowed line bounds the memory. */
export class MessageLines {
  readonly #limits: typeof messageLimits;
  readonly #held: BoundedBuffer;
  #scan = new MessageScan();
  #problem: 'too long' | 'too deep' | undefined;

  constructor(limits: typeof messageLimits) {
    this.#limits = limits;
    this.#held = new BoundedBuffer(limits.longest);
  }

  *read(chunk: Uint8Array): Generator<MessageLine> {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
      this.#add(rest.subarray(0, end));
      yield this.#end();
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  #add(piece: Uint8Array): void {
    this.#scan.read(piece);
    if (this.#problem !== undefined) return;
    if (!this.#held.add(piece)) this.#problem = 'too long';
    else if (this.#scan.deepest > this.#limits.deepest) this.#problem = 'too deep';
    if (this.#problem !== undefined) this.#held.clear();
  }

  #end(): MessageLine {
    const line: MessageLine =
      this.#problem === undefined
        ? { kind: 'line', text: this.#held.take().toString('utf8') }
        : { kind: this.#problem, id: this.#scan.id };
    this.#scan = new MessageScan();
    this.#problem = undefined;
    return line;
  }
}

const longestId = 256;
const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBrace, openBracket, closeBrace, closeBracket] = [0x7b, 0x5b, 0x7d, 0x5d];

/**
 * Finds a message's depth before it is parsed, and its id: without the id in a refusal, a client would wait for ever.
 * Reads the message once, in pieces, and keeps only the text that may be the id.
 */
export class MessageScan {
  #depth = 0;
  #deepest = 0;
  #isInString = false;
  #isEscaped = false;
  #text = '';
  #key: string | undefined;
  #id: string | undefined;

  read(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) at = this.#isInString ? this.#readString(bytes, at) : this.#readSigns(bytes, at);
  }

  get deepest(): number {
    return this.#deepest;
  }

  get id(): RequestId | undefined {
    try {
      // Kept byte by byte; non-ASCII characters have several bytes.
      const id: unknown = this.#id === undefined ? undefined : JSON.parse(Buffer.from(this.#id, 'latin1').toString());
      return typeof id === 'string' || typeof id === 'number' ? id : undefined;
    } catch {
      return undefined;
    }
  }

  /** Reads to the end of the string or the piece: strings, nearly all of a long message, are skipped quickly. */
  #readString(bytes: Uint8Array, from: number): number {
    let start = from;
    if (this.#isEscaped) start++;
    for (;;) {
      const found = bytes.indexOf(quote, start);
      const end = found === -1 ? bytes.length : found;
      let before = end;
      while (before > start && bytes[before - 1] === backslash) before--;
      this.#isEscaped = (end - before) % 2 === 1;
      if (found !== -1 && this.#isEscaped) {
        start = found + 1;
        continue;
      }
      this.#isInString = found === -1;
      const next = found === -1 ? end : end + 1;
      this.#keep(bytes, from, next);
      return next;
    }
  }

  #readSigns(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === quote) {
        this.#isInString = true;
        this.#isEscaped = false;
        this.#keep(bytes, at, at + 1);
        return at + 1;
      }
      if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (this.#depth > this.#deepest) this.#deepest = this.#depth;
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#depth === 0) this.#endMember();
      } else if (this.#depth === 1) this.#readMember(bytes, at);
    }
    return bytes.length;
  }

  #readMember(bytes: Uint8Array, at: number): void {
    const byte = bytes[at];
    if (byte === comma) this.#endMember();
    else if (byte === colon) {
      this.#key = this.#text.trim();
      this.#text = '';
    } else this.#keep(bytes, at, at + 1);
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const room = longestId - this.#text.length;
    if (this.#depth !== 1 || room <= 0) return;
    this.#text += String.fromCharCode(...bytes.subarray(from, Math.min(to, from + room)));
  }

  #endMember(): void {
    if (this.#key === '"id"') this.#id = this.#text.trim();
    this.#key = undefined;
    this.#text = '';
  }
}
