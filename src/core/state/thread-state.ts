import type { ToolSpec } from '../../ports/model.ts';
import type { RecordedAgent } from '../../protocol/agent.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import type { RateLimits } from '../../protocol/rate-limits.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { noWork, type WorkRecords } from '../compaction/plan/work-records.ts';
import type { BaseInstructions } from '../envelope/facts.ts';
import { emptyHistory, type History } from '../history/history.ts';
import { type NewestTokenCount, noTokenCount } from '../history/token-counts.ts';
import { type Baseline, noBaseline } from '../world/tell-world.ts';
import { type CheckpointCounts, noCheckpoints } from './checkpoints/checkpoint-counts.ts';
import type { RecordedGoal } from './fold/goals.ts';
import type { SessionHookText } from './fold/hook-runs.ts';
import type { ModelLimit } from './fold/model-limits.ts';
import type { RecordedPin } from './fold/pinned-notes.ts';
import type { CallStart, RecordedSession } from './fold/running-calls.ts';
import type { RecordedWaitingMessage } from './fold/waiting-messages.ts';
import type { WithheldEntries } from './line-seals.ts';
import type { GivenGrant, RecordedGrant } from './questions/grants.ts';
import type { RecordedQuestion } from './questions/question-lines.ts';
import type { RequestReader, RequestRecord } from './request-record.ts';

/** Targets for rollbacks, newest first. A longer list points at the shorter one, so adding always costs the same. */
export type RollbackMarks<Mark> = { readonly length: number; readonly newest?: Marked<Mark> };
type Marked<Mark> = { readonly mark: Mark; readonly older: RollbackMarks<Mark> };
export const noRollbackMarks: RollbackMarks<never> = { length: 0 };

export function addRollbackMark<Mark>(older: RollbackMarks<Mark>, mark: Mark): RollbackMarks<Mark> {
  return { length: older.length + 1, newest: { mark, older } };
}

/** The mark before the newest `count` turns, with those before it; the oldest one if there are fewer. */
export function rollbackMarkBefore<Mark>({ length, newest }: RollbackMarks<Mark>, count: number) {
  const target = Math.max(0, length - count);
  let at = newest;
  while (at !== undefined && at.older.length > target) at = at.older.newest;
  // Half a turn cannot be taken back.
  return at?.older.length === target ? at : undefined;
}

/** The state of a thread: a fold over its lines. Immutable; each line gives a new one that shares unchanged parts. */
export interface ThreadState {
  readonly meta: JsonObject;
  readonly history: History;
  readonly baseline: Baseline;
  readonly context?: JsonObject;
  /** The envelope of the newest turn that was not taken back, from `envelopeForLine`. */
  readonly envelope?: JsonObject;
  readonly settings?: JsonObject;
  /** The later of `context` and `settings`, from which the next turn starts. */
  readonly newest?: 'context' | 'settings';
  /** Beginning of requests, if a checkpoint has replaced the original one. */
  readonly instructions?: BaseInstructions;
  readonly sent?: LastSentRequest;
  /** The newest sent request: the next `capstan_sent` line counts items shared with it. Not carried by checkpoints. */
  readonly posted?: {
    readonly history: History;
    readonly reader: RequestReader;
    /** Its version: digests of another one are not comparable. */
    readonly encoder: string;
    readonly bytes: number;
  };
  readonly usage: { readonly total: Usage; readonly newest: NewestTokenCount };
  readonly rateLimits?: RateLimits;
  /** The turn that has started and not ended. Without a writer of the thread, it was cut off. */
  readonly openTurn?: OpenTurn;
  readonly turns: number;
  /** The newest failed turns since the newest checkpoint, oldest first. */
  readonly failed?: readonly TurnId[];
  readonly toolSets: ReadonlyMap<string, readonly ToolSpec[]>;
  readonly checkpoints: CheckpointCounts;
  readonly work: WorkRecords;
  /** History behind an opaque checkpoint at the beginning. Not carried by checkpoints. */
  readonly behind?: HistoryBehindCheckpoint;
  /** Input of the first response since the newest checkpoint, as the provider counted it. */
  readonly prefill?: number;
  readonly limits: readonly ModelLimit[];
  readonly warnings: readonly string[];
  readonly sessionContext: readonly SessionHookText[];
  readonly pins: readonly RecordedPin[];
  /** Accepted messages that are not in history, oldest first. Without a writer, the next turn takes them in. */
  readonly waiting: readonly RecordedWaitingMessage[];
  readonly grants: readonly RecordedGrant[];
  /** Commands that outlived their calls according to history, oldest first. */
  readonly sessions: readonly RecordedSession[];
  /** Sessions at the time of the newest checkpoint, which history does not mention. Later answers report their fate. */
  readonly sessionsAtCheckpoint: readonly RecordedSession[];
  /** Agents that the thread started, oldest first. A fork includes those of the other thread. */
  readonly agents: readonly RecordedAgent[];
  readonly goal?: RecordedGoal;
  /** Unclosed agents at the time of the newest checkpoint. Later answers and notifications report their fate. */
  readonly agentsAtCheckpoint: readonly RecordedAgent[];
  /** Entries that the thread's writer leaves out for now. A fold of lines never sets it. */
  readonly withheld?: WithheldEntries;
  /** The state before each turn with a user's words, as a target for rollbacks. Not carried by checkpoints. */
  readonly marks: RollbackMarks<RecordedRollback>;
}

/** History that the provider's own item replaces: complete only after a fold from before all opaque checkpoints. */
export interface HistoryBehindCheckpoint {
  /** Complete history without opaque replacements. */
  readonly history: History;
  /** Number of first entries in the thread's history that are the checkpoint. */
  readonly replaced: number;
}

export interface OpenTurn {
  readonly id: TurnId;
  /** Seconds since the Unix epoch. */
  readonly startedAt?: number;
  /** Cost of the thread at the turn's start. Absent: the checkpoint that a fold began with does not say. */
  readonly spent?: Usage;
  /** Status of the checkpoint in a turn that only compacts history. Absent in a turn in which the user speaks. */
  readonly compaction?: 'begun' | 'done';
  /** Calls that have begun and have no answer. Without a writer, they were in flight when it was cut off. */
  readonly calls?: readonly CallStart[];
  /** Calls that wait for the user's answer, or to begin with it. Without a writer, the turn is suspended. */
  readonly questions?: readonly RecordedQuestion[];
  readonly grants?: readonly GivenGrant[];
  /** Ids of answered questions, oldest first. Not carried by checkpoints. */
  readonly answered?: readonly string[];
  /** The user's words with those answers, kept until their calls have outputs. */
  readonly said?: readonly { readonly callId: string; readonly text: string }[];
  /** The state before the turn, until its first words from a user make it count. */
  readonly before?: RecordedRollback;
}

/** `gone`: history has been replaced since, so that no request can extend it. */
export type LastSentRequest =
  | { readonly kind: 'request'; readonly history: History; readonly record: RequestRecord }
  | { readonly kind: 'gone'; readonly why: 'checkpoint' | 'rollback' | 'reopened' };

/** State that a rollback restores. Notes are not part of a turn: only the user adds and removes them. */
export type RecordedRollback = Pick<ThreadState, (typeof markParts)[number]>;

const markParts = [
  'history',
  'behind',
  'baseline',
  'context',
  'envelope',
  'instructions',
  'waiting',
  'grants',
  'sessions',
  'sessionsAtCheckpoint',
  'agents',
  'agentsAtCheckpoint',
  'checkpoints',
  'sessionContext',
  'goal',
  'prefill',
] as const;

export const rollbackMarkOf = (state: ThreadState): RecordedRollback =>
  Object.fromEntries(markParts.map((part) => [part, state[part]])) as unknown as RecordedRollback;

export const emptyThreadState: ThreadState = {
  meta: {},
  history: emptyHistory(),
  baseline: noBaseline,
  usage: { total: noUsage, newest: noTokenCount },
  turns: 0,
  toolSets: new Map(),
  checkpoints: noCheckpoints,
  work: noWork,
  limits: [],
  warnings: [],
  sessionContext: [],
  pins: [],
  waiting: [],
  grants: [],
  sessions: [],
  sessionsAtCheckpoint: [],
  agents: [],
  agentsAtCheckpoint: [],
  marks: noRollbackMarks,
};

export const instructionsOf = (state: Pick<ThreadState, 'meta' | 'instructions'>): BaseInstructions | undefined =>
  state.instructions ?? readBaseInstructions(objectAt(state.meta, 'base_instructions'));

export function readBaseInstructions(base: JsonObject | undefined): BaseInstructions | undefined {
  const [text, model] = [stringAt(base, 'text'), stringAt(objectAt(base, 'provenance'), 'model')];
  if (text === undefined) return undefined;
  return { text, provenance: model === undefined ? { type: 'custom' } : { type: 'model', model } };
}
