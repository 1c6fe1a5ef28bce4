import type { ThreadId, TurnId } from './ids.ts';
import type { Json, JsonObject } from './json.ts';
import type { Line } from './line.ts';
import type { Outcome } from './outcome.ts';
import type { Answer, Question } from './question.ts';
import type { RateLimits } from './rate-limits.ts';
import type { TurnItem } from './turn-item.ts';
import type { Usage } from './usage.ts';
import type { OtherAuthor } from './user-input.ts';

/** What surfaces are sent. Nothing is sent before the lines it rests on are durable. */
export type ThreadEvent =
  | { readonly kind: 'thread-started'; readonly threadId: ThreadId }
  | SettingsEvent
  /** `usage`: what the thread has cost until then. */
  /** `isContinued`: it began in another process, and `usage` has what it cost there. */
  | { readonly kind: 'turn-started'; readonly turnId: TurnId; readonly usage: Usage; readonly isContinued?: true }
  | ContextEvent
  | CodeReviewedEvent
  | ModelSwitchedEvent
  /**
   * `outside`: it runs outside the sandbox that holds the other calls of the turn; `confined`: in a wider one, which
   * only hides denied paths.
   */
  | {
      readonly kind: 'item-started' | 'item-updated';
      readonly turnId: TurnId;
      readonly item: TurnItem;
      readonly outside?: true;
      readonly confined?: true;
    }
  /** `outside` and `confined` as above, for a reader that was not there when it began. */
  | {
      readonly kind: 'item-completed';
      readonly turnId: TurnId;
      readonly item: TurnItem;
      readonly outside?: true;
      readonly confined?: true;
    }
  /** A call was not run. `reason` is what the model was answered; `item` is absent where the arguments say nothing. */
  | {
      readonly kind: 'call-refused';
      readonly turnId: TurnId;
      readonly callId: string;
      readonly tool: string;
      readonly item?: TurnItem;
      readonly reason: string;
      /** A user who can be asked might have allowed it. */
      readonly unasked?: true;
    }
  /**
   * The call waits for the user, or for a reviewer in the user's place. `item` is the call as screens show it, with all
   * that the question leaves out.
   */
  | {
      readonly kind: 'question-asked';
      readonly turnId: TurnId;
      readonly question: Question;
      readonly item?: TurnItem;
      readonly to?: 'review';
    }
  | {
      readonly kind: 'question-answered';
      readonly turnId: TurnId;
      /** Of the question. */
      readonly id: string;
      readonly callId: string;
      readonly answer: Answer;
    }
  /** Hooks of the user's own began, or one has ended. `names`: of those that the turn waits for. */
  | {
      readonly kind: 'hook-started';
      readonly turnId: TurnId;
      readonly event: HookRun['event'];
      readonly names: readonly string[];
    }
  | { readonly kind: 'hook-completed'; readonly turnId: TurnId; readonly run: HookRun }
  | UsageEvent
  | PrefixBrokenEvent
  | CheckpointEvent
  /** Something is not as it should be, and the turn continues. */
  | { readonly kind: 'warning'; readonly outcome: Outcome }
  /**
   * The request failed and is sent again: for the `attempt`th time `of` so many, both without the first one.
   * `beforeAnswer`: the server had not begun to answer. Codex reports no such tries. All of a request are one count.
   * `outcome.message` says the reason, and that it is tried again; `reason` is why alone.
   */
  | {
      readonly kind: 'retrying';
      readonly outcome: Outcome;
      readonly reason: string;
      readonly waitMs: number;
      readonly attempt: number;
      readonly of: number;
      readonly beforeAnswer?: true;
    }
  /** `usage` counts the whole thread so far. `endedBy`: a hook let the model have none of the words, or ended the turn. */
  | {
      readonly kind: 'turn-completed';
      readonly turnId: TurnId;
      readonly usage: Usage;
      readonly lastMessage?: string;
      readonly endedBy?: 'hook';
    }
  /** `continuedBy`: the model that continues, in a turn that follows at once. `isRefused`: nothing of the turn is recorded. */
  | {
      readonly kind: 'turn-failed';
      readonly turnId: TurnId;
      readonly outcome: Outcome;
      readonly lastMessage?: string;
      readonly continuedBy?: string;
      readonly isRefused?: true;
    }
  /**
   * `usage` as above. Absent: the turn was given up by one who did not count. `leftOpen`: the turn stopped without a word,
   * and this was recorded later: when it stopped is not known.
   */
  | { readonly kind: 'turn-aborted'; readonly turnId: TurnId; readonly usage?: Usage; readonly leftOpen?: true }
  /** The thread is given up while calls wait for the user: the turn can be continued later. */
  | { readonly kind: 'turn-suspended'; readonly turnId: TurnId; readonly questions: readonly Question[] };

/** What the next turn starts from: when a thread is opened, and whenever it is changed. */
export interface SettingsEvent {
  readonly kind: 'settings';
  readonly cause: 'started' | 'resumed' | 'override';
  readonly settings: JsonObject;
  /** Of a resumed thread: what it took from its own past (`names`), and from where (`from`, `turn_id`). */
  readonly restored?: JsonObject;
  /** The typed value that the environment section tells the model. */
  readonly environment: JsonObject;
}

/** One text that enters history and is not the model's: sent before the request that it precedes. */
export interface ContextEvent {
  readonly kind: 'context';
  readonly turnId: TurnId;
  /** Of the item that holds the text. */
  readonly itemId: string;
  /** `environment_context`, `user_instructions`, `permissions` and so on; `plain` for a user's words. */
  readonly content: string;
  readonly cause: ContextCause;
  /** For words that the user did not write: who did. */
  readonly author?: OtherAuthor;
  /** For a text that is sent again: why it is no longer proven that the model has it. */
  readonly why?: string;
  /** The fact that the text tells, where it has a typed value. */
  readonly value?: Json;
  readonly text: string;
}

/**
 * A review of code, which the user asked for beside the turns, has ended. What the reviewer did is not kept; what it cost
 * is `usage`.
 */
export interface CodeReviewedEvent {
  readonly kind: 'code-reviewed';
  readonly turnId: TurnId;
  /** Of the item that tells the model. */
  readonly id: string;
  readonly end: ReviewEnd;
  readonly target?: ReviewTarget;
  readonly durationMs?: number;
  readonly usage?: Usage;
}

/** `reinjection`: sent before, and sent again because nothing proves that the model still has it. */
export type ContextCause = 'initial' | 'change' | 'reinjection' | 'event' | 'user';

export interface ModelSwitchedEvent {
  readonly kind: 'model-switched';
  readonly turnId: TurnId;
  readonly from: string;
  readonly to: string;
  /** What else the switch moved, by the names of envelope fields. */
  readonly changes: readonly FieldChange[];
}

export interface FieldChange {
  readonly field: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** After every step. */
export interface UsageEvent {
  readonly kind: 'usage';
  readonly turnId: TurnId;
  readonly step: number;
  /** What the provider counted for this request; absent when it said nothing. */
  readonly last?: Usage;
  /** Of the whole thread. */
  readonly total: Usage;
  /** What the next request will weigh, and how that is known. */
  readonly tokens: number;
  readonly measure: 'exact' | 'scaled' | 'estimated';
  readonly effectiveWindow: number;
  readonly percentRemaining: number;
  /** What the provider says of its limits. Absent: nothing. */
  readonly rateLimits?: RateLimits;
  /** The request was refused as too long: the window counts as full, and nothing was answered. */
  readonly refused?: true;
}

/** History is being replaced by a checkpoint, has been, or stays as it was. `id` is that of the compaction. */
export type CheckpointEvent = { readonly turnId: TurnId; readonly id: string } & (
  | CheckpointStarted
  /** The history does not fit into one request: the model is asked about this part of it now, counted from 1. */
  | { readonly kind: 'checkpoint-stage'; readonly stage: number; readonly of: number }
  | { readonly kind: 'checkpoint-installed'; readonly report: CheckpointReport }
  /** `paused`: nothing is compacted by itself in this thread from now on. */
  | {
      readonly kind: 'checkpoint-failed';
      readonly threadId: ThreadId;
      readonly outcome: Outcome;
      readonly paused: boolean;
    }
);

interface CheckpointStarted extends Pick<CheckpointReport, 'trigger' | 'reason' | 'phase' | 'model'> {
  readonly kind: 'checkpoint-started';
  readonly strategy: string;
  /** The size of the history that is to be compacted. */
  readonly tokens: number;
}

/** A request does not continue from the one before it: the provider reads again what it had cached. */
export interface PrefixBrokenEvent {
  readonly kind: 'prefix-broken';
  readonly turnId: TurnId;
  readonly step: number;
  readonly keptTokens: number;
  readonly breaks: readonly PrefixBreak[];
}

/** Something that the request before said otherwise. `tokens` is the estimated cost: all that must be read anew from there on. */
export type PrefixBreak = { readonly tokens: number } &
  /** History was replaced, or cut back. */
  (
    | { readonly kind: 'checkpoint' | 'rollback' | 'reopened' }
    | { readonly kind: 'setting'; readonly name: string }
    | { readonly kind: 'instructions' }
    /** By name. All three empty: only the order is another. */
    | {
        readonly kind: 'tools';
        readonly added: readonly string[];
        readonly removed: readonly string[];
        readonly changed: readonly string[];
      }
    /** The first item of the request before that does not stand at its place any more. */
    | { readonly kind: 'entry'; readonly index: number; readonly itemId?: string; readonly what: 'changed' | 'removed' }
  );

/** What is reviewed: what is not committed, what a branch adds to another one, one commit, or what the words say. */
export type ReviewTarget =
  | { readonly kind: 'uncommitted' }
  | { readonly kind: 'base'; readonly branch: string }
  | { readonly kind: 'commit'; readonly commit: string; readonly title?: string }
  | { readonly kind: 'words'; readonly words: string };

/** What a reviewer of code found. */
export interface CodeReview {
  readonly findings: readonly ReviewFinding[];
  /** `patch is correct`, `patch is incorrect`, or empty where it did not say. */
  readonly correctness: string;
  readonly explanation: string;
  /** From 0 to 1. Absent: it did not say. */
  readonly confidence?: number;
}

export interface ReviewFinding {
  readonly title: string;
  readonly body: string;
  /** 0 blocks a release, 3 is a wish. Absent: it did not say. */
  readonly priority?: number;
  readonly confidence?: number;
  /** Where, as the reviewer wrote it. */
  readonly place?: { readonly path: string; readonly from: number; readonly to: number };
}

/** A review of code as the thread keeps it that asked for it. */
export interface KeptReview {
  readonly target: ReviewTarget;
  readonly durationMs: number;
  readonly end: ReviewEnd;
}

export type ReviewEnd =
  | { readonly kind: 'reviewed'; readonly review: CodeReview }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
  /** Only what the model was told of it is known. */
  | { readonly kind: 'told'; readonly text: string };

/** What a checkpoint kept, what it replaced and what it cost. Stored with it, and shown to users. */
export interface CheckpointReport {
  readonly id: string;
  /** Counts the checkpoints of the thread, from 1. */
  readonly number: number;
  readonly trigger: 'manual' | 'auto';
  readonly reason: string;
  readonly phase: string;
  /** `mechanical`: made by code, because no model could be had for it. */
  readonly strategy: 'structured' | 'plain' | 'remote' | 'mechanical';
  /** The model that was asked. */
  readonly model: string;
  /**
   * What the next request weighs, before and after: instructions, tools, history, and the context that it would send. A
   * message that waits counts in neither. Both are our estimate, so that they can be compared.
   */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages of the user: word for word, shortened, gone. */
  readonly words: { readonly kept: number; readonly cut: number; readonly dropped: number };
  /** Items of history that are neither kept nor quoted. */
  readonly folded: number;
  /** Requests that it took. */
  readonly requests: number;
  /** Those of them that `usage` lacks, because the provider reported no cost; absent: none. */
  readonly uncounted?: number;
  /** What they cost. */
  readonly usage: Usage;
  /** Share of their input that the provider had in its cache, from 0 to 1; absent when it said nothing. */
  readonly cachedShare?: number;
  /** What was wrong with the model's answer and was put right. */
  readonly mended: readonly string[];
  /** Of one that was made in another way than was wanted: what kept the model from that. */
  readonly why?: Outcome;
}

/** The moments at which hooks run, by the names that files of hooks use. */
export const hookEvents = [
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PreCompact',
  'PostCompact',
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'SubagentStart',
  'SubagentStop',
  'Stop',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** One hook that ran, as lines and surfaces have it. */
export interface HookRun {
  readonly id: string;
  /** Which hook: its file, event and place in it. */
  readonly key: string;
  readonly event: HookEvent;
  /** What was started, cut to one short line. */
  readonly command: string;
  /** `blocked`: it said no. `stopped`: it ends the turn. `failed`: it broke, or its answer makes no sense. */
  readonly status: 'completed' | 'blocked' | 'stopped' | 'failed';
  readonly durationMs: number;
  /** What it said, each cut to a length for screens. What the model reads of it stands in messages of its own. */
  readonly entries: readonly HookEntry[];
}

export interface HookEntry {
  /** `change`: what it made of the call, or of its result. */
  readonly kind: 'warning' | 'feedback' | 'stop' | 'context' | 'change' | 'error';
  readonly text: string;
}

/**
 * A preview of an item that is still arriving. Nothing of it is durable, and nothing may depend on it: it ends with the
 * `item-completed` of the same item, which is the truth, or with `dropped`.
 */
export type ProvisionalEvent = { readonly provisional: true; readonly turnId: TurnId; readonly itemId: string } & (
  | { readonly kind: 'text'; readonly text: string }
  /** Of the summary of the model's thinking: its parts are counted from 0. */
  | { readonly kind: 'reasoning'; readonly part: number; readonly text: string }
  /** Of a call. */
  | { readonly kind: 'output'; readonly text: string }
  /** The item will not come: the request is sent again, the turn was interrupted, or the disk is lost. */
  | { readonly kind: 'dropped' }
);

/** When a line was written, in milliseconds since the epoch. Undefined: its time does not read. */
export function lineTime({ timestamp }: Pick<Line, 'timestamp'>): number | undefined {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}
