import { emptyHistory, type History } from '../history/history.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import type { TurnId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import { noUsage, type Usage } from '../protocol/usage.ts';
import { type Baseline, noBaseline } from '../world/baseline.ts';

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
  /** Settings of the newest `thread_settings_applied`. */
  readonly settings?: JsonObject;
  readonly usage: { readonly total: Usage; readonly last: Usage };
  /** The turn that has started and not ended. On a thread nobody writes, it was cut off. */
  readonly openTurn?: OpenTurn;
  /** Turns that began. */
  readonly turns: number;
  /** Tool sets that requests refer to, by name. */
  readonly toolSets: ReadonlyMap<string, readonly ToolSpec[]>;
  /** The thread as it was before each turn with a user's words in it: where a rollback goes to. Not carried by checkpoints. */
  readonly marks: readonly Mark[];
}

export interface OpenTurn {
  readonly id: TurnId;
  /** Seconds since the Unix epoch. */
  readonly startedAt?: number;
  /** The state before the turn, until its first words from a user make it count. */
  readonly before?: Mark;
}

export type Mark = Pick<ThreadState, 'history' | 'baseline' | 'context'>;

export function markOf({ history, baseline, context }: ThreadState): Mark {
  return { history, baseline, ...(context === undefined ? {} : { context }) };
}

export const emptyState: ThreadState = {
  meta: {},
  history: emptyHistory(),
  baseline: noBaseline,
  usage: { total: noUsage, last: noUsage },
  turns: 0,
  toolSets: new Map(),
  marks: [],
};
