import type { Outcome } from '../protocol/outcome.ts';
import type { ShellScript } from '../protocol/shell.ts';
import type { RunnableCommand } from './sandbox.ts';
import type { StartedProcess } from './system.ts';

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

interface SpawnWatch {
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

/** The commands of one thread, and the table of those that outlive the call that started them. */
export interface Sessions {
  /**
   * Runs a command. It becomes a session if it has not ended after a while; until then, the signal ends it. Never
   * rejects.
   */
  run(command: RunnableCommand, limits: RunLimits, watch: SpawnWatch): Promise<ProcessEnd | YieldedCommand>;
  /**
   * Writes to a session, if there is something to write, and gives what it said since it was last asked. Of two calls
   * for one session the second waits for the first. A session whose end was given is dropped. Never rejects.
   */
  write(id: number, input: SessionInput, signal: AbortSignal): Promise<SessionOutput | NoSession>;
  /** Whether one of them runs. */
  runs(): boolean;
  resize(id: number, size: TerminalSize): void;
  /** Ends the session, and remembers why. */
  end(id: number, fate: SessionFate): Promise<void>;
  /** There is no session of this number any more, in this process. */
  remember(id: number, fate: SessionFate): void;
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface RunLimits {
  readonly input: StartOptions['input'];
  /** How long the call waits. */
  readonly yieldMs: number;
  /** It is killed after this. Absent: it lives as long as its thread. */
  readonly timeoutMs?: number;
  /** Time that does not count for these, and for `durationMs`. */
  readonly pauses?: Pauses;
}

/** A command that has not ended. */
export interface YieldedCommand {
  readonly kind: 'yielded';
  readonly session: Session;
  readonly output: ProcessOutput;
  readonly durationMs: number;
  /** Where all of its output can be read. Absent: nowhere. */
  readonly log?: string;
  /** Sessions that were ended because there were too many. */
  readonly pruned: readonly number[];
}

export interface Session {
  readonly id: number;
  /** Resolves once its process has ended, whether or not that was given to a caller. */
  readonly ended: Promise<SessionEnd>;
  /** All that it said until now, as far as it is held. */
  said(): ProcessOutput;
}

export interface SessionEnd {
  /** Absent: it was killed. */
  readonly exitCode?: number;
  /** Why it was killed, or that it ended by itself. */
  readonly fate: SessionFate;
  /** All that it said, as far as it is held. */
  readonly output: ProcessOutput;
  readonly durationMs: number;
}

/** What became of a session: `stopped` by the user, `narrowed` by a turn that may do less, `gone` with the process that held it. */
export type SessionFate = 'exited' | 'timed-out' | 'pruned' | 'stopped' | 'narrowed' | 'closed' | 'gone';

export interface SessionInput {
  /** Empty: it is only looked at. U+0003 interrupts it; U+0004 closes an input that is a pipe. */
  readonly text: string;
  /** How long the call waits. */
  readonly waitMs: number;
}

export interface SessionOutput {
  readonly kind: 'running' | 'ended';
  /** Set once it has ended by itself. */
  readonly exitCode?: number;
  /** Why it has ended. Absent: it runs. */
  readonly fate?: SessionFate;
  /** What it said since it was last asked. */
  readonly output: ProcessOutput;
  readonly durationMs: number;
  readonly log?: string;
}

/** `input-closed`: the session runs, and cannot be written to. `fate`: what became of one that there was. */
export interface NoSession {
  readonly kind: 'no-session' | 'input-closed';
  readonly fate?: SessionFate;
}

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

/** The variables that commands start from, before the policy chooses among them. */
export interface ShellEnvironment {
  /**
   * The first call may ask the user's login shell. It waits for a bounded time, and not at all once the signal aborts;
   * without an answer the process's own variables are all there is. Never rejects.
   */
  variables(request: ShellEnvironmentRequest): Promise<Readonly<Record<string, string>>>;
}

export interface ShellEnvironmentRequest {
  readonly signal: AbortSignal;
  /** What the user should know while the call waits. */
  warn(outcome: Outcome): void;
  /**
   * Whether commands and patches may write the path, though a sandbox holds them otherwise. The login shell runs outside
   * of it, so a shell whose start-up files they may write is not asked. Absent: there is no sandbox to get out of.
   */
  isWritable?(path: string): boolean;
}

/** Reads shell scripts without running them. */
export interface ShellReader {
  /** Undefined: it does not parse, or is too long. */
  read(script: string): ShellScript | undefined;
}

/** Loaded on first use, then kept. */
export type LoadShellReader = () => Promise<ShellReader>;
