import type { ThreadId, TurnId } from './ids.ts';
import type { Json, JsonObject } from './json.ts';
import type { Line } from './line.ts';
import type { Outcome } from './outcome.ts';
import type { Answer, Question } from './question.ts';
import type { RateLimits } from './rate-limits.ts';
import type { TurnItem } from './turn-item.ts';
import type { Usage } from './usage.ts';
import type { NonUserAuthor } from './user-input.ts';

/** Events for surfaces. Capstan sends an event only after the lines that it reports are durable. */
export type ThreadEvent =
  | { readonly kind: 'thread-started'; readonly threadId: ThreadId }
  | SettingsEvent
  /** `usage`: the thread's cost so far. `isContinued`: the turn began in another process; its cost there counts. */
  | { readonly kind: 'turn-started'; readonly turnId: TurnId; readonly usage: Usage; readonly isContinued?: true }
  | ContextEvent
  | CodeReviewedEvent
  | ModelSwitchedEvent
  /** `outside`: it runs outside the turn's sandbox; `confined`: in a wider one, which only hides denied paths. */
  | ({ readonly kind: 'item-started' | 'item-updated' } & ItemEvent)
  /** `outside` and `confined` are repeated for readers that missed the start. */
  | ({ readonly kind: 'item-completed' } & ItemEvent)
  /** A call was not run. `reason` is the answer sent to the model; `item` is absent where the arguments say nothing. */
  | {
      readonly kind: 'call-refused';
      readonly turnId: TurnId;
      readonly callId: string;
      readonly tool: string;
      readonly item?: TurnItem;
      readonly reason: string;
      /** A user might have allowed it, if one could be asked. */
      readonly unasked?: true;
    }
  /** The call waits for the user or a reviewer. `item`: the call as screens show it, with what the question omits. */
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
      readonly id: string;
      readonly callId: string;
      readonly answer: Answer;
    }
  /** The user's hooks began, or one has ended. `names`: the hooks that the turn waits for. */
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
  | { readonly kind: 'warning'; readonly outcome: Outcome }
  /**
   * The request failed and is resent: the `attempt`th of `of` times, without the first request; all tries of a request
   * share one count. `beforeAnswer`: the server had not begun to answer; Codex reports no such tries. `outcome.message`
   * has the reason and the retry, `reason` the reason alone.
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
  /** `usage` counts the whole thread so far. `endedBy`: a hook withheld the words from the model, or ended the turn. */
  | {
      readonly kind: 'turn-completed';
      readonly turnId: TurnId;
      readonly usage: Usage;
      readonly lastMessage?: string;
      readonly endedBy?: 'hook';
    }
  /** `continuedBy`: the model that continues, in a turn that follows at once. `isRefused`: no line records the turn. */
  | {
      readonly kind: 'turn-failed';
      readonly turnId: TurnId;
      readonly outcome: Outcome;
      readonly lastMessage?: string;
      readonly continuedBy?: string;
      readonly isRefused?: true;
    }
  /** `usage` as above; absent if not counted. `leftOpen`: no line records the end, so its time is unknown. */
  | { readonly kind: 'turn-aborted'; readonly turnId: TurnId; readonly usage?: Usage; readonly leftOpen?: true }
  /** The thread is closed while calls wait for the user; the turn can be continued later. */
  | { readonly kind: 'turn-suspended'; readonly turnId: TurnId; readonly questions: readonly Question[] };

interface ItemEvent {
  readonly turnId: TurnId;
  readonly item: TurnItem;
  readonly outside?: true;
  readonly confined?: true;
}

/** Settings for the next turn, sent when a thread is opened and after each change. */
export interface SettingsEvent {
  readonly kind: 'settings';
  readonly cause: 'started' | 'resumed' | 'override';
  readonly settings: JsonObject;
  /** For a resumed thread: the settings taken from its own past (`names`), and their source (`from`, `turn_id`). */
  readonly restored?: JsonObject;
  /** The typed value from which Capstan writes the model's environment section. */
  readonly environment: JsonObject;
}

/** A text in history that the model did not write. Capstan sends the event before the request with the text. */
export interface ContextEvent {
  readonly kind: 'context';
  readonly turnId: TurnId;
  readonly itemId: string;
  /** `environment_context`, `user_instructions`, `permissions` and so on; `plain` for a user's words. */
  readonly content: string;
  readonly cause: ContextCause;
  /** Absent for the user's own words. */
  readonly author?: NonUserAuthor;
  /** For a repeated text: why it is no longer proven that the model has it. */
  readonly why?: string;
  /** The fact that the text states, if it has a typed value. */
  readonly value?: Json;
  readonly text: string;
}

/** A code review outside the thread's turns has ended. The reviewer's steps are not kept; `usage` is their cost. */
export interface CodeReviewedEvent {
  readonly kind: 'code-reviewed';
  readonly turnId: TurnId;
  readonly id: string;
  readonly end: ReviewEnd;
  readonly target?: ReviewTarget;
  readonly durationMs?: number;
  readonly usage?: Usage;
}

/** `reinjection`: sent again because nothing proves that the model still has it. */
export type ContextCause = 'initial' | 'change' | 'reinjection' | 'event' | 'user';

export interface ModelSwitchedEvent {
  readonly kind: 'model-switched';
  readonly turnId: TurnId;
  readonly from: string;
  readonly to: string;
  /** Other changes by the switch, by names of envelope fields. */
  readonly changes: readonly FieldChange[];
}

export type FieldChange = { readonly field: string; readonly from?: Json; readonly to?: Json };

export interface UsageEvent {
  readonly kind: 'usage';
  readonly turnId: TurnId;
  readonly step: number;
  /** The provider's count for this request; absent when it gave none. */
  readonly last?: Usage;
  readonly total: Usage;
  /** The size of the next request; `measure` says how it is known. */
  readonly tokens: number;
  readonly measure: 'exact' | 'scaled' | 'estimated';
  readonly effectiveWindow: number;
  readonly percentRemaining: number;
  readonly rateLimits?: RateLimits;
  /** The request was refused as too long: the window counts as full, and nothing was answered. */
  readonly refused?: true;
}

/** History is being replaced by a checkpoint, has been, or stays as it was. `id` is that of the compaction. */
export type CheckpointEvent = { readonly turnId: TurnId; readonly id: string } & (
  | CheckpointStarted
  /** The history does not fit into one request: the model now gets this part of it, counted from 1. */
  | { readonly kind: 'checkpoint-stage'; readonly stage: number; readonly of: number }
  | { readonly kind: 'checkpoint-installed'; readonly report: CheckpointReport }
  /** `paused`: no more automatic compaction in this thread. */
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
  readonly tokens: number;
}

/** A request does not continue the previous one, so the provider's cache is lost from there on. */
export interface PrefixBrokenEvent {
  readonly kind: 'prefix-broken';
  readonly turnId: TurnId;
  readonly step: number;
  readonly keptTokens: number;
  readonly breaks: readonly PrefixBreak[];
}

/** The first difference from the previous request. `tokens`: the estimated cost; all after it is read anew. */
export type PrefixBreak = { readonly tokens: number } &
  /** History was replaced or cut back. */
  (
    | { readonly kind: 'checkpoint' | 'rollback' | 'reopened' }
    | { readonly kind: 'setting'; readonly name: string }
    | { readonly kind: 'instructions' }
    /** By name. All three empty: only the order changed. */
    | {
        readonly kind: 'tools';
        readonly added: readonly string[];
        readonly removed: readonly string[];
        readonly changed: readonly string[];
      }
    /** The first item of the previous request that is no longer at its place. */
    | { readonly kind: 'entry'; readonly index: number; readonly itemId?: string; readonly what: 'changed' | 'removed' }
  );

/** The subject: uncommitted changes, a branch's changes over another one, one commit, or a description in words. */
export type ReviewTarget =
  | { readonly kind: 'uncommitted' }
  | { readonly kind: 'base'; readonly branch: string }
  | { readonly kind: 'commit'; readonly commit: string; readonly title?: string }
  | { readonly kind: 'words'; readonly words: string };

export interface CodeReview {
  readonly findings: readonly ReviewFinding[];
  /** `patch is correct`, `patch is incorrect`, or empty where the reviewer did not say. */
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
  readonly place?: { readonly path: string; readonly from: number; readonly to: number };
}

export type KeptReview = { readonly target: ReviewTarget; readonly durationMs: number; readonly end: ReviewEnd };

export type ReviewEnd =
  | { readonly kind: 'reviewed'; readonly review: CodeReview }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
  /** Only the model's text about it is known. */
  | { readonly kind: 'told'; readonly text: string };

/** The content, replaced parts and cost of a checkpoint. Stored with it, and shown to users. */
export interface CheckpointReport {
  readonly id: string;
  /** Counts the checkpoints of the thread, from 1. */
  readonly number: number;
  readonly trigger: 'manual' | 'auto';
  readonly reason: string;
  readonly phase: string;
  /** `mechanical`: made by code, because no model was available for it. */
  readonly strategy: 'structured' | 'plain' | 'remote' | 'mechanical';
  readonly model: string;
  /** The size of the next request before and after, without waiting messages. Both are our estimate, to be compared. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The user's messages: verbatim, shortened, dropped. */
  readonly words: { readonly kept: number; readonly cut: number; readonly dropped: number };
  readonly folded: number;
  readonly requests: number;
  /** Requests missing in `usage`, because the provider reported no cost; absent: none. */
  readonly uncounted?: number;
  readonly usage: Usage;
  /** Cached share of their input, from 0 to 1; absent when the provider gave none. */
  readonly cachedShare?: number;
  readonly mended: readonly string[];
  /** Why another strategy than the wanted one was used. */
  readonly why?: Outcome;
}

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

export interface HookRun {
  readonly id: string;
  /** The hook's file, event and place in it. */
  readonly key: string;
  readonly event: HookEvent;
  readonly command: string;
  /** `blocked`: it refused. `stopped`: it ends the turn. `failed`: it broke, or its answer makes no sense. */
  readonly status: 'completed' | 'blocked' | 'stopped' | 'failed';
  readonly durationMs: number;
  /** Its output, cut for screens. Its text for the model is in separate messages. */
  readonly entries: readonly HookEntry[];
}

export interface HookEntry {
  readonly kind: 'warning' | 'feedback' | 'stop' | 'context' | 'change' | 'error';
  readonly text: string;
}

/** A preview of an arriving item. Nothing may depend on it: it ends with `item-completed`, or with `dropped`. */
export type ProvisionalEvent = { readonly provisional: true; readonly turnId: TurnId; readonly itemId: string } & (
  | { readonly kind: 'text'; readonly text: string }
  /** Part of the reasoning summary, counted from 0. */
  | { readonly kind: 'reasoning'; readonly part: number; readonly text: string }
  | { readonly kind: 'output'; readonly text: string }
  /** The item will not come: the request is sent again, the turn was interrupted, or the disk is lost. */
  | { readonly kind: 'dropped' }
);

/** Milliseconds since the epoch. Undefined: the timestamp is invalid. */
export function lineTime({ timestamp }: Pick<Line, 'timestamp'>): number | undefined {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}

type TurnEnd = Exclude<Extract<ThreadEvent['kind'], `turn-${string}`>, 'turn-started'>;
const turnEnds: Readonly<Record<TurnEnd, true>> = {
  'turn-completed': true,
  'turn-failed': true,
  'turn-aborted': true,
  'turn-suspended': true,
};
/** True for an event that ends a turn, or suspends it until an answer. */
export const endsOrSuspends = ({ kind }: Pick<ThreadEvent, 'kind'>): boolean => Object.hasOwn(turnEnds, kind);
