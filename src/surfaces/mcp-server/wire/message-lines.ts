import type { RequestId } from '@modelcontextprotocol/server';
import { BoundedBuffer } from '../../../protocol/bounded-buffer.ts';
import { MessageScan } from './message-scan.ts';

export type MessageLine =
  | { readonly kind: 'line'; readonly text: string }
  /** Longer, or nested deeper, than allowed. Nothing of it was kept but its id. */
  | { readonly kind: 'too long' | 'too deep'; readonly id: RequestId | undefined };

export interface MessageLimits {
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
