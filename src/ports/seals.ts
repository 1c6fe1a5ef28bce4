/**
 * Seals of lines on which the engine acts when it reads them again: what they grant, which process to end, which files
 * to bring back, what the user said. A rollout may come from anywhere, and what it says is a claim; a seal proves that an
 * engine with the key wrote it: that of this home, or of a store that several engines share.
 */
export interface Seals {
  /** Undefined when there is no key to be had: the line goes without. Never throws. */
  seal(claim: string): string | undefined;
  /** Whether the seal was made for this claim, with the same key. Never throws. */
  holds(claim: string, seal: string): boolean;
  /**
   * What keeps the key from being used, as the rest of a sentence; undefined when nothing does, or there is none yet. While
   * there is a problem, a seal that does not hold proves nothing. Never throws.
   */
  problem(): string | undefined;
  /** Engines with other keys may write the same store, so that a seal that does not hold proves nothing. */
  readonly otherKeys?: 'possible';
}
