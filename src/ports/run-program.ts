/** Runs a program of the user's own, outside of every sandbox. Never rejects. */
export type RunProgram = (program: ProgramToRun, watch: ProgramWatch) => Promise<ProgramEnd>;

export interface ProgramToRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it reads on standard input. */
  readonly input: string;
}

/** The whole process tree is killed at the time-out, when the signal aborts, and when this process dies. */
export interface ProgramWatch {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Bytes kept of each stream. */
  readonly outputBytes: number;
}

export type ProgramEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
      /** More came on standard output than is kept. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not-started'; readonly reason: string };
