import type { ReadScript } from '../protocol/read-script.ts';

/** Reads shell scripts without running them. */
export interface ShellReader {
  /** Undefined: it does not parse, or is too long. */
  read(script: string): ReadScript | undefined;
}

/** Loaded on first use, then kept. */
export type LoadShellReader = () => Promise<ShellReader>;
