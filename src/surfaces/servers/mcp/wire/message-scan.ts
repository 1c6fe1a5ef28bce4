import { BoundedBuffer } from '../../../../base/bounded-buffer.ts';
import type { RequestId } from '@modelcontextprotocol/server';

/**
 * What a message may have; one with more is refused before it is parsed. Images in arguments are the longest that make
 * sense. No argument nests deep, and a parser needs seconds for millions of levels.
 */
export const messageLimits: MessageLimits = { longest: 16 * 1024 * 1024, deepest: 100 };

export const messageTooDeep = `The message has more than ${messageLimits.deepest} levels of lists and objects.`;

export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  /** Longer, or nested deeper, than allowed. Nothing of it was kept but its id. */
  | { readonly kind: 'too long' | 'too deep'; readonly id: RequestId | undefined };

interface MessageLimits {
  /** In bytes. */
  readonly longest: number;
  /** Levels of lists and objects. */
  readonly deepest: number;
}

const newline = 10;

/** Cuts a stream of bytes into lines. Memory is bounded by the length of the longest line that is allowed. */
export class MessageLines {
  readonly #limits: MessageLimits;
  readonly #held: BoundedBuffer;
  #scan = new MessageScan();
  #problem: 'too long' | 'too deep' | undefined;

  constructor(limits: MessageLimits) {
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

/** Longer ids are not looked for. */
const longestId = 256;

const [quote, backslash, colon, comma] = [...'"\\:,'].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];
const [openBrace, openBracket, closeBrace, closeBracket] = [...'{[}]'].map((sign) => sign.charCodeAt(0));

/**
 * What is known of a JSON-RPC message before it is parsed: how deep it nests, and its id, without which a client would
 * wait for the answer for ever. The message goes past once, in pieces, and only what may be the id is remembered.
 */
export class MessageScan {
  #depth = 0;
  #deepest = 0;
  #isInString = false;
  #isEscaped = false;
  /** What stands at the moment between the signs of the outermost object: a key, or a value. */
  #text = '';
  #key: string | undefined;
  #id: string | undefined;

  read(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) at = this.#isInString ? this.#readString(bytes, at) : this.#readSigns(bytes, at);
  }

  /** The most levels of lists and objects around one value so far. */
  get deepest(): number {
    return this.#deepest;
  }

  get id(): RequestId | undefined {
    try {
      // Kept byte by byte; the signs of other languages have several.
      const id: unknown = this.#id === undefined ? undefined : JSON.parse(Buffer.from(this.#id, 'latin1').toString());
      return typeof id === 'string' || typeof id === 'number' ? id : undefined;
    } catch {
      return undefined;
    }
  }

  /** To the end of the string, or of the piece. Nearly all of a long message is strings: those are skipped over. */
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

  /** To the next string, or the end of the piece. */
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
