/** A seeded generator: the same texts on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to the bound, which is not reached. */
  below(bound: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * bound);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** Pieces until there are enough characters. */
  text(length: number, piece: () => string, separator: string): string {
    const pieces: string[] = [];
    for (let found = 0; found < length; found += pieces.at(-1)!.length + separator.length) pieces.push(piece());
    return pieces.join(separator);
  }
}
