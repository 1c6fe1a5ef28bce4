import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile, SandboxMode, SandboxPolicy } from '../protocol/permissions.ts';
import type { Goal, GoalStatus, ThreadCut } from '../protocol/thread.ts';
import type { Usage } from '../protocol/usage.ts';
import type { UserInput } from '../protocol/user-input.ts';

/** Lets a thread open other threads of its engine. Each is written by this process until it is closed. */
export interface Threads {
  /** Those that are open now, the asking one among them. */
  readonly open: readonly OpenThread[];
  start(wanted: WantedThread & { readonly cwd: string }): Promise<OpenThread | ThreadRefused>;
  resume(id: ThreadId, wanted: WantedThread): Promise<OpenThread | ThreadRefused>;
  fork(id: ThreadId, cut: ThreadCut, wanted: WantedThread): Promise<OpenThread | ThreadRefused>;
}

/** What belongs to a thread that is opened. What is left out is as it is configured, or as the thread had it. */
export interface WantedThread {
  /** Absolute. */
  readonly cwd?: string;
  readonly model?: string;
  /** Held while it is open: the thread remembers its own. */
  readonly approvals?: ApprovalPolicy;
  readonly sandbox?: SandboxMode | SandboxPolicy | PermissionProfile;
  /** Nothing of what it does is kept on the disk. */
  readonly ephemeral?: boolean;
}

export interface OpenThread {
  readonly kind: 'thread';
  readonly id: ThreadId;
  /** Runs one turn to its end, after what was submitted before. */
  run(turn: { readonly input: UserInput; readonly signal: AbortSignal }): Promise<TurnEnd>;
  close(): Promise<void>;
}

export type TurnEnd =
  | { readonly kind: 'completed' | 'aborted' | 'suspended'; readonly lastMessage?: string }
  | { readonly kind: 'failed'; readonly outcome: Outcome; readonly lastMessage?: string };

export interface ThreadRefused {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

/** Work beside the turns of a thread, which ends when the thread is closed. */
export interface BackgroundWork {
  /** The thread is open. */
  attach(host: BackgroundHost): void;
}

/** The thread, as such work sees it. */
export interface BackgroundHost {
  readonly id: ThreadId;
  /** Counts in what the thread has cost, and not in what its goal has used. */
  spend(usage: Usage): void;
  warn(outcome: Outcome): void;
}

/** The goal of a thread, for its tools. What they change is a line at once. */
export interface ThreadGoal {
  /** As it is now. Undefined: the thread never had one. */
  readonly current: Goal | undefined;
  /** In the place of one that is complete. */
  create(wanted: Pick<Goal, 'objective' | 'tokenBudget'>): Goal;
  /** It continues by itself, and the user has said nothing since it began to. */
  readonly isAlone: boolean;
  /** `more`: tokens for it from now on. Absent: its budget stays as it is. Undefined: there is none. */
  change(status: GoalStatus, options?: { readonly more?: number }): Goal | undefined;
}
