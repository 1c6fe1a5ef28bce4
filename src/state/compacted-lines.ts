import type { BaseInstructions } from '../envelope/facts.ts';
import type { CheckpointReport } from '../protocol/checkpoint-report.ts';
import type { Item } from '../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { WindowName } from './checkpoints.ts';
import { carriedState } from './compacted.ts';
import type { ThreadState } from './thread-state.ts';

export interface NewCheckpoint {
  /** The summary message, for readers of old. */
  readonly message: string;
  /** What history becomes, and beside each item what is known about it. */
  readonly items: readonly Item[];
  readonly metadata: readonly JsonObject[];
  readonly windowId: string;
  readonly report: CheckpointReport;
  /** What requests begin with from here on, if it is not what they began with before. */
  readonly instructions?: BaseInstructions;
}

/** The line that replaces history. It carries all else that a fold needs, so that a fold may begin with it. */
export function compactedLines(state: ThreadState, checkpoint: NewCheckpoint): readonly LineDraft[] {
  const { message, items, metadata, windowId, report, instructions } = checkpoint;
  const before = windowBefore(state);
  const payload: JsonObject = {
    message,
    replacement_history: items,
    replacement_history_metadata: metadata,
    window_number: (before?.number ?? 0) + 1,
    first_window_id: before?.first ?? windowId,
    ...(before === undefined ? {} : { previous_window_id: before.id }),
    window_id: windowId,
    capstan: {
      ...carriedState(instructions === undefined ? state : { ...state, instructions }),
      checkpoint: report as unknown as JsonObject,
    },
  };
  return [{ type: lineType.compacted, payload }];
}

/** The first window is named in the thread's first line. A fork has windows of its own, whatever it continues from. */
function windowBefore({ checkpoints: { window }, meta }: ThreadState): WindowName | undefined {
  const id = stringAt(objectAt(meta, 'context_window') ?? {}, 'window_id');
  return id === undefined || window?.first === id ? window : { first: id, id, number: 0 };
}
