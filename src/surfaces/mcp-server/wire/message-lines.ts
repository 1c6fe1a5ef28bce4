import type { RequestId } from '@modelcontextprotocol/server';
import { MessageIdFinder } from './message-id.ts';

export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  /** Longer than allowed. Nothing of it was kept but its id. */
  | { readonly kind: 'too long'; readonly id: RequestId | undefined };

const newline = 10;

/** Cuts a stream of bytes into lines. Memory is bounded by the length of the longest line that is allowed. */
export class MessageLines {
  readonly #longest: number;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #skipped: MessageIdFinder | undefined;

  constructor(longest: number) {
    this.#longest = longest;
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
    if (this.#skipped === undefined && this.#length + piece.length > this.#longest) {
      this.#skipped = new MessageIdFinder();
      for (const kept of this.#pieces) this.#skipped.read(kept);
      this.#pieces = [];
    }
    if (this.#skipped !== undefined) return this.#skipped.read(piece);
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #end(): MessageLine {
    const skipped = this.#skipped;
    const line: MessageLine =
      skipped === undefined
        ? { kind: 'line', text: Buffer.concat(this.#pieces).toString('utf8') }
        : { kind: 'too long', id: skipped.id };
    this.#pieces = [];
    this.#length = 0;
    this.#skipped = undefined;
    return line;
  }
}
