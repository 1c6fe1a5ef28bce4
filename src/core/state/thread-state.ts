import { defined } from '../../base/objects.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { RecordedAgent } from '../../protocol/agent.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import type { RateLimits } from '../../protocol/rate-limits.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { noWork, type WorkRecords } from '../compaction/plan/work-records.ts';
import type { BaseInstructions } from '../envelope/facts.ts';
import { emptyHistory, type History } from '../history/history.ts';
import { type NewestCount, noCount } from '../history/token-counts.ts';
import { type Baseline, noBaseline } from '../world/world-state.ts';
import { type Checkpoints, noCheckpoints } from './checkpoints/checkpoint-counts.ts';
import type { RecordedGoal } from './fold/goals.ts';
import type { SessionText } from './fold/hook-runs.ts';
import type { ModelLimit } from './fold/model-limits.ts';
import type { RecordedPin } from './fold/pinned-notes.ts';
import type { CallStart, RecordedSession } from './fold/running-calls.ts';
import type { RecordedMessage } from './fold/waiting-messages.ts';
import type { Withheld } from './line-seals.ts';
import type { GivenGrant, RecordedGrant } from './questions/grants.ts';
import type { RecordedQuestion } from './questions/question-lines.ts';
import type { RequestReader, RequestRecord } from './request-record.ts';

/**
 * Where a rollback can go to, newest first. A value like all of the state: a longer list points at the shorter one, so
 * that adding costs the same however many there are.
 */
export interface Marks<Mark> {
  readonly length: number;
  readonly newest?: Marked<Mark>;
}

interface Marked<Mark> {
  readonly mark: Mark;
  readonly older: Marks<Mark>;
}

export const noMarks: Marks<never> = { length: 0 };

export function addMark<Mark>(older: Marks<Mark>, mark: Mark): Marks<Mark> {
  return { length: older.length + 1, newest: { mark, older } };
}

/** The mark that so many turns are taken back to, and those before it; the oldest one if there are not as many. */
export function markBefore<Mark>({ length, newest }: Marks<Mark>, count: number): Marked<Mark> | undefined {
  const target = Math.max(0, length - count);
  let at = newest;
  while (at !== undefined && at.older.length > target) at = at.older.newest;
  // Half a turn cannot be taken back.
  return at?.older.length === target ? at : undefined;
}

/**
 * Everything that is known about a thread: a fold over its lines and nothing else. Values are immutable; each line
 * gives a new one that shares what did not change.
 */
export interface ThreadState {
  /** Payload of the first `session_meta`; empty before it was read. */
  readonly meta: JsonObject;
  /** What the model sees. */
  readonly history: History;
  /** What the model was last told about the world. */
  readonly baseline: Baseline;
  /** Payload of the newest `turn_context` that was not taken back. */
  readonly context?: JsonObject;
  /** The envelope of the newest turn that was not taken back, as `storeEnvelope` gives it. */
  readonly envelope?: JsonObject;
  /** Settings of the newest `thread_settings_applied`. */
  readonly settings?: JsonObject;
  /** Which of `context` and `settings` came last: it is what the next turn starts from. */
  readonly newest?: 'context' | 'settings';
  /** What requests begin with, if a checkpoint has replaced what the thread was started with. */
  readonly instructions?: BaseInstructions;
  /** The request that was made last, to hold the next one against. */
  readonly sent?: Sent;
  /** What the newest line about a sent body counts its items from. Checkpoints do not carry it. */
  readonly posted?: PostedBody;
  readonly usage: { readonly total: Usage; readonly newest: NewestCount };
  /** What the provider said last of its limits. Absent: nothing. */
  readonly rateLimits?: RateLimits;
  /** The turn that has started and not ended. On a thread without a writer, it was cut off. */
  readonly openTurn?: OpenTurn;
  /** Turns that began. */
  readonly turns: number;
  /** Those that ended by a failure since the newest checkpoint, oldest first: the newest of them. */
  readonly failed?: readonly TurnId[];
  /** Tool sets that requests refer to, by name. */
  readonly toolSets: ReadonlyMap<string, readonly ToolSpec[]>;
  readonly checkpoints: Checkpoints;
  /** What tools wrote down about the work. */
  readonly work: WorkRecords;
  /** Where the history begins with an opaque checkpoint: what stands behind it. Checkpoints do not carry it. */
  readonly behind?: HistoryBehindCheckpoint;
  /** Input of the first response since the newest checkpoint, as the provider counted it. */
  readonly prefill?: number;
  /** What models have shown of their windows. */
  readonly limits: readonly ModelLimit[];
  /** Names of the warnings that were said once and are not said again. */
  readonly warnings: readonly string[];
  /** What hooks said when the thread was opened, in their order. */
  readonly sessionContext: readonly SessionText[];
  /** Notes that the user pinned, oldest first. */
  readonly pins: readonly RecordedPin[];
  /**
   * Messages that were accepted and have not entered history, oldest first. On a thread without a writer, the next turn
   * takes them in.
   */
  readonly waiting: readonly RecordedMessage[];
  /** What the user allowed for as long as the thread lasts, oldest first. */
  readonly grants: readonly RecordedGrant[];
  /** Commands that run on after their calls, as history says, oldest first. */
  readonly sessions: readonly RecordedSession[];
  /** Those of the moment of the newest checkpoint, of which history says nothing. Answers after it say what became of them. */
  readonly sessionsAtCheckpoint: readonly RecordedSession[];
  /** Agents that it started, oldest first. A fork holds those of the other thread as well. */
  readonly agents: readonly RecordedAgent[];
  /** What it works towards. Absent: it never had a goal. */
  readonly goal?: RecordedGoal;
  /** Those of the moment of the newest checkpoint that were not closed. Answers and notifications after it say what became of them. */
  readonly agentsAtCheckpoint: readonly RecordedAgent[];
  /** What the writer of the thread leaves out of these for now. No fold of lines alone sets it. */
  readonly withheld?: Withheld;
  /** The thread as it was before each turn with a user's words in it: where a rollback goes to. Not carried by checkpoints. */
  readonly marks: Marks<Mark>;
}

/**
 * What stands behind an opaque checkpoint: the history that the provider's own item stands for. The lines are still in
 * the file. A fold that began with the checkpoint has not read them, so `history` is to be trusted only after a fold
 * that began before all opaque ones.
 */
export interface HistoryBehindCheckpoint {
  /** All of it, with nothing opaque in the place of what was before. */
  readonly history: History;
  /** So many entries at the beginning of the history are the checkpoint. */
  readonly replaced: number;
}

export interface OpenTurn {
  readonly id: TurnId;
  /** Seconds since the Unix epoch. */
  readonly startedAt?: number;
  /** What the thread had cost when it began. Absent: the checkpoint that a fold began with does not say. */
  readonly spent?: Usage;
  /** The turn only compacts history: whether its checkpoint stands. Absent in a turn in which the user speaks. */
  readonly compaction?: 'begun' | 'done';
  /**
   * Calls that have begun and have no answer. On a thread without a writer, they were in flight when it was cut off.
   */
  readonly calls?: readonly CallStart[];
  /** Calls that wait for the user's answer, or to begin with it. On a thread without a writer, the turn is suspended. */
  readonly questions?: readonly RecordedQuestion[];
  /** Permissions that the user granted for the turn, oldest first. */
  readonly grants?: readonly GivenGrant[];
  /** Ids of the questions that were answered, oldest first. Checkpoints do not carry them. */
  readonly answered?: readonly string[];
  /** The user's words with those answers, until the calls that they are about have their outputs. */
  readonly said?: readonly { readonly callId: string; readonly text: string }[];
  /** The state before the turn, until its first words from a user make it count. */
  readonly before?: Mark;
}

/** `gone`: history has been replaced since, so that no request can extend it. */
export type Sent =
  | { readonly kind: 'request'; readonly history: History; readonly record: RequestRecord }
  | { readonly kind: 'gone'; readonly why: 'checkpoint' | 'rollback' | 'reopened' };

/** What a rollback takes back. Notes are no part of a turn: only the user adds them and takes them away. */
export type Mark = Pick<
  ThreadState,
  | 'history'
  | 'behind'
  | 'baseline'
  | 'context'
  | 'envelope'
  | 'instructions'
  | 'waiting'
  | 'grants'
  | 'sessions'
  | 'sessionsAtCheckpoint'
  | 'agents'
  | 'agentsAtCheckpoint'
  | 'checkpoints'
  | 'sessionContext'
  | 'goal'
  | 'prefill'
>;

export function markOf(state: ThreadState): Mark {
  const { history, behind, baseline, context, envelope, instructions, waiting, grants, checkpoints, prefill } = state;
  const { sessions, sessionsAtCheckpoint, sessionContext, agents, agentsAtCheckpoint, goal } = state;
  return {
    history,
    baseline,
    waiting,
    grants,
    sessions,
    sessionsAtCheckpoint,
    agents,
    agentsAtCheckpoint,
    checkpoints,
    sessionContext,
    ...defined({ prefill, behind, context, envelope, instructions, goal }),
  };
}

export const emptyState: ThreadState = {
  meta: {},
  history: emptyHistory(),
  baseline: noBaseline,
  usage: { total: noUsage, newest: noCount },
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
  marks: noMarks,
};

export interface PostedBody {
  readonly history: History;
  readonly reader: RequestReader;
  /** The version that made it: digests of another cannot be counted on. */
  readonly encoder: string;
  readonly bytes: number;
}

/** What requests of the thread begin with now. */
export function instructionsOf(state: Pick<ThreadState, 'meta' | 'instructions'>): BaseInstructions | undefined {
  return state.instructions ?? readInstructions(objectAt(state.meta, 'base_instructions'));
}

export function readInstructions(base: JsonObject | undefined): BaseInstructions | undefined {
  const [text, model] = [stringAt(base, 'text'), stringAt(objectAt(base, 'provenance'), 'model')];
  if (text === undefined) return undefined;
  return { text, provenance: model === undefined ? { type: 'custom' } : { type: 'model', model } };
}
