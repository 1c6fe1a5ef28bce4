import type { RunnableCommand } from './sandbox.ts';
import type { Pauses, ProcessEnd, ProcessOutput, SpawnWatch, StartOptions, TerminalSize } from './spawn.ts';

/** The commands of one thread, and the table of those that outlive the call that started them. */
export interface Sessions {
  /**
   * Runs a command. It becomes a session if it has not ended after a while; until then, the signal ends it. Never
   * rejects.
   */
  run(command: RunnableCommand, limits: RunLimits, watch: SpawnWatch): Promise<ProcessEnd | Yielded>;
  /**
   * Writes to a session, if there is something to write, and gives what it said since it was last asked. Of two calls
   * for one session the second waits for the first. A session whose end was given is dropped. Never rejects.
   */
  write(id: number, input: SessionInput, signal: AbortSignal): Promise<SessionNews | NoSession>;
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
export interface Yielded {
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

export interface SessionNews {
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
