import type { HookEvent, HookRun } from '../protocol/thread-event.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';

/** The hooks of a thread that may run: the user's own programs. Absent: none is configured, and none of its code is loaded. */
export interface Hooks {
  /** Whether a hook waits for this. `subjects`: what matchers are held against; none for events without one. */
  wants(event: HookEvent, subjects?: readonly string[]): boolean;
  /** What screens call those that this waits for. */
  names(event: HookEvent, subjects?: readonly string[]): readonly string[];
  /** Whether a hook with this key is there and may run. */
  knows(key: string): boolean;
  /** Runs all that match at the same time. Never rejects: what breaks is a run that failed. */
  run(occasion: HookOccasion, watch: HookWatch): Promise<HookVerdict>;
  /** Why hooks of the start of a session are due, once for each cause. `turns`: with the one that runs. */
  takeStart(place: {
    readonly threadId: ThreadId;
    readonly turns: number;
    readonly checkpoints: number;
  }): 'startup' | 'resume' | 'compact' | undefined;
  /** Whether a session of the thread has started that has not ended. It has ended then. */
  takeEnd(threadId: ThreadId): boolean;
  /** History was compacted: a session starts anew. */
  compacted(): void;
  /** What hooks that nothing waited for have said since they were last asked about. */
  late(): HookVerdict | undefined;
  /** Ends those that still run. */
  close(): Promise<void>;
}

export interface HookOccasion {
  readonly event: HookEvent;
  readonly subjects?: readonly string[];
  /** What the programs read on standard input. */
  readonly input: JsonObject;
  /** Where they run. */
  readonly cwd: string;
}

export interface HookWatch {
  readonly signal: AbortSignal;
  /** The most that one text for the model may have. What is beyond goes into a file. */
  readonly mostTokens: number;
}

/** What the hooks of one occasion said together, in the order in which they are configured. */
export interface HookVerdict {
  readonly runs: readonly HookRun[];
  /** For the model, with the key of the hook that said it. */
  readonly contexts: readonly { readonly key: string; readonly text: string }[];
  /** Why it may not happen: of a call, of words, of an answer. */
  readonly blocked?: string;
  /** Why the turn ends here; it may be empty. */
  readonly stopped?: string;
  /** What hooks that keep a turn from ending want to be done. */
  readonly prompts: readonly { readonly runId: string; readonly text: string }[];
  /** What a hook says about a call, or about a question of one. A no is `blocked`. */
  readonly decision?: 'allow' | 'ask';
  readonly decisionReason?: string;
  /** The arguments of a call in place of the model's. */
  readonly updatedInput?: JsonObject;
  /** What the model reads in place of what a call gave. */
  readonly updatedOutput?: string;
}

export const noVerdict: HookVerdict = { runs: [], contexts: [], prompts: [] };
