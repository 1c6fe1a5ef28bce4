import type { Trust } from '../config/trust.ts';

/** Which AGENTS.md files apply to a turn, and how much of them. */
export interface InstructionRules {
  /** Absolute, as it was written: links in it are kept, and its parents are the ones in its spelling. */
  readonly cwd: string;
  /** A project that was called untrusted gives no instructions. One without a decision does. */
  readonly trusted: Trust;
  /** For all files of the project together; 0 leaves them out. The personal file has a limit of its own. */
  readonly maxBytes: number;
  /** Names that serve in a folder without AGENTS.md, in order of preference. */
  readonly fallbackFilenames: readonly string[];
  /** What stands in the root of a project. Without any, the working folder is the project. */
  readonly rootMarkers: readonly string[];
}
