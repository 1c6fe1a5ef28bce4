import type { StartedProcess } from './processes.ts';
import type { RunnableCommand } from './sandbox.ts';

/** Runs commands to their end. */
export interface Spawn {
  /**
   * Runs with plain pipes and a closed stdin; stdout and stderr are one stream in order of arrival. The whole process
   * tree is killed at the time-out, when the signal aborts, and when this process dies. Never rejects.
   */
  run(command: RunnableCommand, limits: SpawnLimits, watch: SpawnWatch): Promise<ProcessEnd>;
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
  | { readonly kind: 'not-started'; readonly reason: string };

export interface ProcessOutput {
  /** Valid text: broken UTF-8 is replaced. A cut shows as a line `... N bytes omitted ...`. */
  readonly text: string;
  /** Bytes that the command wrote in all. */
  readonly totalBytes: number;
}
