import type { PlainCommand, RunnableCommand } from './sandbox.ts';

/** As it is, or isolated. */
export type ServerCommand = PlainCommand & Partial<Pick<RunnableCommand, 'files' | 'handover' | 'cleanup'>>;

/** Starts programs that answer on their output what is written to their input. Never rejects. */
export type StartServerProcess = (
  command: ServerCommand,
  watch: ServerProcessWatch,
) => Promise<ServerProcess | { readonly kind: 'not-started'; readonly reason: string }>;

export interface ServerProcessWatch {
  /** Every byte of its output, as it comes. */
  output(bytes: Uint8Array): void;
  /** It ended by itself, or was ended. Called once. `errors`: the end of what it wrote to its error stream. */
  ended(how: { readonly exitCode: number; readonly errors: string }): void;
}

/** The whole process tree dies with this process. */
export interface ServerProcess {
  readonly kind: 'running';
  /** Resolves when the input has space again. Nothing happens once the process has ended. */
  write(text: string): Promise<void>;
  /** Closes its input and ends it if it does not go by itself. Never rejects. */
  close(): Promise<void>;
}
