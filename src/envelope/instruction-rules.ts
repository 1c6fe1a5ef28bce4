import type { Trust } from '../config/trust.ts';

/** Where the user's and the project's own instructions (AGENTS.md) are looked for, and how much of them is taken. */
export interface InstructionRules {
  /** Absolute. */
  readonly cwd: string;
  /** The files of an untrusted project are left alone. */
  readonly trusted: Trust;
  /** For all project files together; 0 takes none. */
  readonly maxBytes: number;
  /** Names to try in a folder that has no AGENTS.md. */
  readonly fallbackFilenames: readonly string[];
  /** What the root of a project is known by. */
  readonly rootMarkers: readonly string[];
}
