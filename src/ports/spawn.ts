import type { StartedProcess } from './processes.ts';
import type { RunnableCommand } from './sandbox.ts';

/** Starts commands. */
export interface Spawn {
  /** Starts one, with its output as one stream in order of arrival. It is killed when this process dies. Never rejects. */
  start(command: RunnableCommand, options: StartOptions): Promise<RunningCommand | NotStarted>;
  /**
   * Runs with plain pipes and a closed stdin; stdout and stderr are one stream in order of arrival. The whole process
   * tree is killed at the time-out, when the signal aborts, and when this process dies. Never rejects.
   */
  run(command: RunnableCommand, limits: SpawnLimits, watch: SpawnWatch): Promise<ProcessEnd>;
}

export interface StartOptions {
  /** `closed`: it reads nothing. `open`: a pipe. `terminal`: a terminal of its own, for all its streams. */
  readonly input: 'closed' | 'open' | 'terminal';
  /** As in `SpawnWatch`. */
  readonly started?: (process: StartedProcess) => void;
  /** Every byte that is read, as it comes. */
  output(bytes: Uint8Array): void;
}

/** A command that was started. */
export interface RunningCommand {
  readonly kind: 'running';
  /** Its exit code, as soon as it ends; 128 plus its number when a signal ended it. */
  readonly exited: Promise<number>;
  /** It has ended and its output is read. What it left behind runs on only if it does not hold the output. */
  readonly drained: Promise<unknown>;
  /** The same, and nothing of it is left on the host. */
  readonly over: Promise<unknown>;
  /** False: its input is closed. */
  write(bytes: Uint8Array): boolean;
  /** Nothing more comes. A terminal says it by the character for it. */
  closeInput(): void;
  /** What Control-C does. */
  interrupt(): void;
  /** Of its terminal, if it has one. */
  resize(size: TerminalSize): void;
  /** Kills the whole process tree, and resolves when it is over; soon, also when a process survives it. */
  end(): Promise<void>;
  /** It does not keep this process from ending. */
  unref(): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface SpawnWatch {
  readonly signal: AbortSignal;
  /** Called once, soon after the start and before the end; not at all where the system is silent about processes. */
  readonly started?: (process: StartedProcess) => void;
  /** Every byte that is read, as it comes. */
  readonly output?: (bytes: Uint8Array) => void;
}

export interface SpawnLimits {
  readonly timeoutMs: number;
  /** Time that does not count, for the limit and for `durationMs`. Absent: all of it counts. */
  readonly pauses?: Pauses;
  /** Bytes of output kept: the first half and the last half. The rest is counted, never held in memory. */
  readonly outputBytes: number;
}

/** When a time limit stands still. */
export interface Pauses {
  readonly isPaused: boolean;
  /** Reports each change, until what it gives is called. */
  watch(changed: (isPaused: boolean) => void): () => void;
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly output: ProcessOutput; readonly durationMs: number }
  | { readonly kind: 'timed-out'; readonly output: ProcessOutput; readonly durationMs: number }
  | { readonly kind: 'aborted'; readonly output: ProcessOutput; readonly durationMs: number }
  | NotStarted;

export interface NotStarted {
  readonly kind: 'not-started';
  readonly reason: string;
}

export interface ProcessOutput {
  /** Valid text: broken UTF-8 is replaced. A cut shows as a line of `omittedLine`. */
  readonly text: string;
  /** Bytes that the command wrote in all. */
  readonly totalBytes: number;
}
