import type { RequestId } from '@modelcontextprotocol/server';

/** Longer ids are not looked for. */
const longestId = 256;

const [quote, backslash, colon, comma] = [...'"\\:,'].map((sign) => sign.charCodeAt(0));
const openers = new Set([...'{['].map((sign) => sign.charCodeAt(0)));
const closers = new Set([...'}]'].map((sign) => sign.charCodeAt(0)));

/**
 * Finds the id of a JSON-RPC message that is too long to be kept: it goes past in pieces, and only what may be the id is
 * remembered. Without the id, the client would wait for the answer for ever.
 */
export class MessageIdFinder {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** What stands at the moment between the signs of the outermost object: a key, or a value. */
  #text = '';
  #key: string | undefined;
  #id: string | undefined;

  read(bytes: Uint8Array): void {
    for (const byte of bytes) this.#readByte(byte);
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

  #readByte(byte: number): void {
    if (this.#isInString) {
      this.#keep(byte);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInString = false;
      return;
    }
    if (byte === quote) {
      this.#isInString = true;
      this.#keep(byte);
    } else if (openers.has(byte)) {
      this.#depth += 1;
    } else if (closers.has(byte)) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#endMember();
    } else if (byte === comma && this.#depth === 1) {
      this.#endMember();
    } else if (byte === colon && this.#depth === 1) {
      this.#key = this.#text.trim();
      this.#text = '';
    } else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#text.length < longestId) this.#text += String.fromCharCode(byte);
  }

  #endMember(): void {
    if (this.#key === '"id"') this.#id = this.#text.trim();
    this.#key = undefined;
    this.#text = '';
  }
}
