import { Duplex } from 'node:stream';

/** A connection without a network: when a request has come, a server answers with these pieces, each by itself. */
export class Pieces extends Duplex {
  #asked = '';
  readonly #answer: (head: string) => readonly Buffer[];

  constructor(answer: (head: string) => readonly Buffer[]) {
    super();
    this.#answer = answer;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: unknown, done: () => void): void {
    done();
    if (this.#asked.includes('\r\n\r\n')) return;
    this.#asked += chunk.toString('latin1');
    if (!this.#asked.includes('\r\n\r\n')) return;
    const pieces = this.#answer(this.#asked);
    const next = (at: number): void => {
      if (this.destroyed) return;
      this.push(pieces[at] ?? null);
      if (at < pieces.length) setImmediate(next, at + 1);
    };
    setImmediate(next, 0);
  }

  ref(): void {}
  unref(): void {}
  setTimeout(): void {}
  setNoDelay(): void {}
  destroySoon(): void {
    this.destroy();
  }
}

/** The bytes, cut at these places. An empty piece says nothing. */
export function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places
    .slice(1)
    .map((to, at) => bytes.subarray(places[at], to))
    .filter((piece) => piece.length > 0);
}
