export interface FoundFile {
  /** Below the root. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly rank: number;
}

/** The best of many: holds few at a time. */
export class BestFiles {
  readonly #limit: number;
  #kept: FoundFile[] = [];
  total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(file: FoundFile): void {
    this.total++;
    this.#kept.push(file);
    if (this.#kept.length >= 2 * this.#limit + 100) this.#kept = [...this.sorted()];
  }

  sorted(): readonly FoundFile[] {
    const order = (a: FoundFile, b: FoundFile): number => b.rank - a.rank || (a.path < b.path ? -1 : 1);
    return this.#kept.toSorted(order).slice(0, this.#limit);
  }
}
