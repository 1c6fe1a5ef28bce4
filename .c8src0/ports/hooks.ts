import type { HookEvent, HookRun } from '../protocol/thread-event.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';

/** The user's programs that may run in a thread. Undefined if none is configured; then no hook code is loaded. */
export interface Hooks {
  /** True if a hook wants this event. `subjects` are compared with matchers; events without subjects have none. */
  wants(event: HookEvent, subjects?: readonly string[]): boolean;
  names(event: HookEvent, subjects?: readonly string[]): readonly string[];
  knows(key: string): boolean;
  /** Runs all matching hooks in parallel. Never rejects: an error becomes a failed run. */
  run(occasion: HookOccasion, watch: HookWatch): Promise<HookVerdict>;
  /** Why session-start hooks must run now; each reason is returned once. `turns` counts the running turn, too. */
  takeStart(place: {
    readonly threadId: ThreadId;
    readonly turns: number;
    readonly checkpoints: number;
  }): 'startup' | 'resume' | 'compact' | undefined;
  /** Marks the thread's session as ended. True if one was running. */
  takeEnd(threadId: ThreadId): boolean;
  /** History was compacted, which starts a new session. */
  compacted(): void;
  /** Output of asynchronous hooks since the last call. */
  late(): HookVerdict | undefined;
  close(): Promise<void>;
}

export interface HookOccasion {
  readonly event: HookEvent;
  readonly subjects?: readonly string[];
  readonly input: JsonObject;
  readonly cwd: string;
}

export interface HookWatch {
  readonly signal: AbortSignal;
  /** Limit for one text for the model. The rest goes into a file. */
  readonly mostTokens: number;
}

/** The combined output of an occasion's hooks, in configured order. */
export interface HookVerdict {
  readonly runs: readonly HookRun[];
  readonly contexts: readonly { readonly key: string; readonly text: string }[];
  readonly blocked?: string;
  /** Why the turn ends here; may be empty. */
  readonly stopped?: string;
  /** Work demanded by hooks that keep a turn from ending. */
  readonly prompts: readonly { readonly runId: string; readonly text: string }[];
  /** A hook's decision about a call, or about a question that a call raised. Refusals are in `blocked` instead. */
  readonly decision?: 'allow' | 'ask';
  readonly decisionReason?: string;
  readonly updatedInput?: JsonObject;
  readonly updatedOutput?: string;
}

export const noVerdict: HookVerdict = { runs: [], contexts: [], prompts: [] };
