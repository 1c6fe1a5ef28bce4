import type { Outcome } from '../protocol/outcome.ts';
import type { ShellScript } from '../protocol/shell.ts';
import type { PlainCommand, RunnableCommand } from './sandbox.ts';
import type { StartedProcess } from './system.ts';

export interface CommandSpawner {
  /** Starts a command, with its output in order of arrival. It is killed when this process dies. Never rejects. */
  start(command: RunnableCommand, options: CommandStartOptions): Promise<RunningCommand | NotStarted>;
  /**
   * Runs with plain pipes and a closed stdin; stdout and stderr are one stream in order of arrival. The whole process
   * tree is killed at the time-out, when the signal aborts, and when this process dies. Never rejects.
   */
  run(command: RunnableCommand, limits: SpawnLimits, watch: SpawnWatch): Promise<ProcessEnd>;
}

export interface CommandStartOptions {
  /** `closed`: no input. `open`: a pipe. `terminal`: a terminal of its own, for all its streams. */
  readonly input: 'closed' | 'open' | 'terminal';
  readonly started?: (process: StartedProcess) => void;
  /** Called with all bytes as they arrive. */
  output(bytes: Uint8Array): void;
}

export interface RunningCommand {
  readonly kind: 'running';
  /** Its exit code, as soon as it ends; 128 plus the signal number when a signal ended it. */
  readonly exited: Promise<number>;
  /** The command has ended and its output is read. A process that it left and that keeps the output open is killed. */
  readonly drained: Promise<unknown>;
  /** As `drained`, and Capstan has released everything that it set up on the host for the command. */
  readonly over: Promise<unknown>;
  /** False: its input is closed. */
  write(bytes: Uint8Array): boolean;
  /** Ends the input; on a terminal, by its end-of-file character. */
  closeInput(): void;
  interrupt(): void;
  resize(size: TerminalSize): void;
  /** Kills the whole process tree and resolves when it is over; soon, even if a process survives. */
  end(): Promise<void>;
  /** Lets this process exit while the command runs. */
  unref(): void;
}

export type TerminalSize = { readonly columns: number; readonly rows: number };

interface SpawnWatch {
  readonly signal: AbortSignal;
  /** Called once, soon after the start and before the end; never if the system tells nothing about processes. */
  readonly started?: (process: StartedProcess) => void;
  /** Called with all bytes as they arrive. */
  readonly output?: (bytes: Uint8Array) => void;
}

export interface SpawnLimits {
  readonly timeoutMs: number;
  /** While paused, neither the time limit nor `durationMs` advances. Absent: no pauses. */
  readonly pauses?: OutputPauses;
  /** Bytes of output kept: the first half and the last half. The rest is counted, never held in memory. */
  readonly outputBytes: number;
}

export interface OutputPauses {
  readonly isPaused: boolean;
  /** Reports each change until the returned function is called. */
  watch(changed: (isPaused: boolean) => void): () => void;
}

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly output: ProcessOutput; readonly durationMs: number }
  | { readonly kind: 'timed-out'; readonly output: ProcessOutput; readonly durationMs: number }
  | { readonly kind: 'aborted'; readonly output: ProcessOutput; readonly durationMs: number }
  | NotStarted;

export type NotStarted = { readonly kind: 'not-started'; readonly reason: string };

export interface ProcessOutput {
  /** Valid text: broken UTF-8 is replaced. A cut appears as a line of `formatOmittedLine`. */
  readonly text: string;
  readonly totalBytes: number;
}

/** The commands of one thread, and the table of those that outlive the call that started them. */
export interface CommandSessions {
  /** Runs a command, which becomes a session if it takes long; until then, the signal ends it. Never rejects. */
  run(command: RunnableCommand, limits: RunLimits, watch: SpawnWatch): Promise<ProcessEnd | YieldedCommand>;
  /**
   * Writes any text to a session, and returns its output since the last call. Concurrent calls for one session run in
   * order. A session is dropped once its end was returned. Never rejects.
   */
  write(id: number, input: CommandSessionInput, signal: AbortSignal): Promise<CommandSessionOutput | SessionNotReached>;
  runs(): boolean;
  resize(id: number, size: TerminalSize): void;
  end(id: number, fate: CommandSessionFate): Promise<void>;
  /** Records why a session no longer exists in this process. */
  remember(id: number, fate: CommandSessionFate): void;
  close(): Promise<void>;
}

export interface RunLimits extends Pick<CommandStartOptions, 'input'>, Pick<SpawnLimits, 'pauses'> {
  readonly yieldMs: number;
  /** The command is killed after this. Absent: it lives as long as its thread. */
  readonly timeoutMs?: number;
}

export interface YieldedCommand {
  readonly kind: 'yielded';
  readonly session: CommandSession;
  readonly output: ProcessOutput;
  readonly durationMs: number;
  /** File with all of its output. Absent: there is none. */
  readonly log?: string;
  readonly pruned: readonly number[];
}

export interface CommandSession {
  readonly id: number;
  /** Resolves once the process has ended, even if the end was returned to no caller. */
  readonly ended: Promise<CommandSessionEnd>;
  /** All of its output so far that is still held. */
  said(): ProcessOutput;
}

export interface CommandSessionEnd {
  /** Absent: it was killed. */
  readonly exitCode?: number;
  readonly fate: CommandSessionFate;
  readonly output: ProcessOutput;
  readonly durationMs: number;
}

/** `stopped`: by the user. `narrowed`: by a turn with fewer rights. `gone`: it ended with the process that ran it. */
export type CommandSessionFate = 'exited' | 'timed-out' | 'pruned' | 'stopped' | 'narrowed' | 'closed' | 'gone';

export interface CommandSessionInput {
  /** Empty: only poll. U+0003 interrupts it; U+0004 closes an input that is a pipe. */
  readonly text: string;
  readonly waitMs: number;
}

/** While it runs, it has neither a fate nor an exit code. */
export interface CommandSessionOutput
  extends Omit<CommandSessionEnd, 'fate'>, Partial<Pick<CommandSessionEnd, 'fate'>> {
  readonly kind: 'running' | 'ended';
  readonly log?: string;
}

/** `input-closed`: the session runs but takes no input. `fate`: how a session with this id ended. */
export type SessionNotReached = { readonly kind: 'no-session' | 'input-closed'; readonly fate?: CommandSessionFate };
/** Runs a program of the user's own, outside of every sandbox. Never rejects. */
export type RunProgram = (program: ProgramToRun, watch: ProgramWatch) => Promise<ProgramEnd>;
export type ProgramToRun = Pick<PlainCommand, 'argv' | 'cwd' | 'env'> & { readonly input: string };
/** The whole process tree is killed at the time-out, when the signal aborts, and when this process dies. */
export type ProgramWatch = Pick<SpawnWatch, 'signal'> & Pick<SpawnLimits, 'timeoutMs' | 'outputBytes'>;

export type ProgramEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
      readonly isCut: boolean;
    }
  | { readonly kind: 'timed-out' | 'aborted' }
  | NotStarted;

/** The variables that commands start from, before the policy chooses among them. */
export interface ShellEnvironment {
  /**
   * May ask the login shell, for a bounded time, and not at all once the signal aborts. Without an answer: the process's
   * variables. Never rejects.
   */
  variables(request: ShellEnvironmentRequest): Promise<Readonly<Record<string, string>>>;
}

export interface ShellEnvironmentRequest {
  readonly signal: AbortSignal;
  warn(outcome: Outcome): void;
  /**
   * True if sandboxed commands or patches may write the path. Capstan asks no login shell whose start-up files they may
   * write, since that shell runs unsandboxed. Absent: no sandbox.
   */
  isWritable?(path: string): boolean;
}

export interface ShellReader {
  /** Undefined: it does not parse, or is too long. */
  read(script: string): ShellScript | undefined;
}

export type LoadShellReader = () => Promise<ShellReader>;
