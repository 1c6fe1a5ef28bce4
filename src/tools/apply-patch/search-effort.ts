/** Comparisons that finding the lines of one patch may take: a fraction of a second. */
export const mostComparisons = 20_000_000;

/** Thrown when a search takes more than it may. Caught where the patch is computed. */
export class TooMuchToSearch extends Error {}

/** How much a search has taken so far. One for all chunks of a patch. */
export class SearchEffort {
  readonly #most: number;
  #spent = 0;

  constructor(most: number = mostComparisons) {
    this.#most = most;
  }

  get spent(): number {
    return this.#spent;
  }

  spend(comparisons: number): void {
    this.#spent += comparisons;
    if (this.#spent > this.#most) throw new TooMuchToSearch();
  }
}
