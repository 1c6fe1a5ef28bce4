import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode, SandboxPolicy } from '../protocol/permissions.ts';
import type { Goal, GoalStatus, ThreadCut } from '../protocol/thread.ts';
import type { Usage } from '../protocol/usage.ts';
import type { UserInput } from '../protocol/user-input.ts';

/** Lets a thread open other threads of its engine. This process writes each one until it is closed. */
export interface Threads {
  readonly open: readonly OpenThread[];
  start(wanted: WantedThread & { readonly cwd: string }): Promise<OpenThread | ThreadRefused>;
  resume(id: ThreadId, wanted: WantedThread): Promise<OpenThread | ThreadRefused>;
  fork(id: ThreadId, cut: ThreadCut, wanted: WantedThread): Promise<OpenThread | ThreadRefused>;
}

/** Omitted values are as configured, or as the thread had them. */
export interface WantedThread {
  /** Absolute. */
  readonly cwd?: string;
  readonly model?: string;
  /** Applies while this process has the thread open; the thread remembers its own. */
  readonly approvals?: ApprovalPolicy;
  readonly sandbox?: SandboxMode | SandboxPolicy | PermissionProfile;
  readonly ephemeral?: boolean;
}

export interface OpenThread {
  readonly kind: 'thread';
  readonly id: ThreadId;
  /** Runs one turn to its end, after earlier submissions. */
  run(turn: { readonly input: UserInput; readonly signal: AbortSignal }): Promise<TurnEnd>;
  close(): Promise<void>;
}

export type TurnEnd =
  | { readonly kind: 'completed' | 'aborted' | 'suspended'; readonly lastMessage?: string }
  | { readonly kind: 'failed'; readonly outcome: Outcome; readonly lastMessage?: string };

export type ThreadRefused = { readonly kind: 'refused'; readonly outcome: Outcome };
/** Work beside the turns of a thread, which ends when the thread is closed. */
export type BackgroundWork = { attach(host: BackgroundHost): void };

export interface BackgroundHost {
  readonly id: ThreadId;
  /** Adds to the thread's cost, but not to its goal's usage. */
  spend(usage: Usage): void;
  warn(outcome: Outcome): void;
}

/** The goal of a thread, for its tools. Each change is written as a line at once. */
export interface ThreadGoal {
  /** Undefined: the thread never had one. */
  readonly current: Goal | undefined;
  /** Replaces a completed goal. */
  create(wanted: Pick<Goal, 'objective' | 'tokenBudget'>): Goal;
  /** True while the thread continues by itself and the user has written nothing since. */
  readonly isAlone: boolean;
  /** `more`: additional tokens from now on. Absent: the budget stays. Returns undefined without a goal. */
  change(status: GoalStatus, options?: { readonly more?: number }): Goal | undefined;
}
