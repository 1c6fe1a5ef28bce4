/**
 * Seals of lines on which the engine acts when it reads them again: what they grant, which process to end, which files
 * to bring back, what the user said. A rollout may come from anywhere, and what it says is a claim; a seal proves that an engine with the
 * key of this home wrote it.
 */
export interface Seals {
  /** Undefined when there is no key to be had: the line goes without. Never throws. */
  seal(claim: string): string | undefined;
  /** Whether the seal was made for this claim, with the key of this home. Never throws. */
  holds(claim: string, seal: string): boolean;
  /**
   * What keeps the key from being used, as the rest of a sentence; undefined when nothing does, or there is none yet. While
   * there is a problem, a seal that does not hold proves nothing. Never throws.
   */
  problem(): string | undefined;
}
