import type { JsonObject } from './json.ts';
import type { Ordinal } from './ids.ts';

/** A rollout's line. Keys on disk: timestamp, ordinal, type, payload, metadata. Readers skip unknown types and keys. */
export interface Line {
  /** Time of writing, UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  readonly timestamp: string;
  /** Present in paginated files, absent in legacy ones. */
  readonly ordinal?: Ordinal;
  readonly type: string;
  readonly payload: JsonObject;
  /** Only on `response_item`: facts about the item that the model does not see. */
  readonly metadata?: JsonObject;
}

export interface LineKind {
  readonly type: string;
  /** The payload's own type. Undefined if it has none, or if the reader does not know it yet. */
  readonly payloadType: string | undefined;
}

export interface LineDraft extends Pick<Line, 'type' | 'payload' | 'metadata'> {
  /** Bytes that the model does not see. A store that keeps them names them in `metadata.capstan`, by the same key. */
  readonly beside?: Readonly<Record<string, Uint8Array>>;
}

/** Types without "Ours" are shared with other programs. */
export const lineType = {
  sessionMeta: 'session_meta',
  responseItem: 'response_item',
  event: 'event_msg',
  turnContext: 'turn_context',
  worldState: 'world_state',
  compacted: 'compacted',
  /** Ours: the tools offered to the model, written when the set changes. */
  toolSet: 'capstan_tool_set',
  /** Ours: a model request except instructions, tools and input. Written before the request is sent. */
  request: 'capstan_request',
  /** Ours: digest and size of the sent body. Written while the model thinks. */
  sent: 'capstan_sent',
  /** Ours: a call begins, and again when its process is known. Written before it has an effect. */
  call: 'capstan_call',
  /** Ours: a command outlives its call, ends, or is gone. The first is written before the answer of the call. */
  session: 'capstan_session',
  /** Ours: a question whether a call may run, and the answer. The first is written before the user is asked. */
  question: 'capstan_question',
  /** Ours: times, tokens and outcome of a request. Written when its calls are done. */
  step: 'capstan_step',
  /** Ours: a compaction that changed nothing, and its cost. */
  compaction: 'capstan_compaction',
  /** Ours: Capstan uses the history before a provider's checkpoint again, because another provider takes over. */
  reopened: 'capstan_reopened',
  /** Ours: the workspace before and after a change. Capstan writes the first line before the change. */
  snapshot: 'capstan_snapshot',
  /** Ours: a note that the user pinned, or its end. */
  pin: 'capstan_pin',
  /** Ours: an accepted message that cannot enter history yet, or the end of one that never will. */
  waiting: 'capstan_waiting',
  /** Ours: a once-per-thread warning. Written before it is shown. */
  warning: 'capstan_warning',
  /** Ours: a hook run and its result. Its text for the model is in items. */
  hook: 'capstan_hook',
  /** Ours: an agent is started, given more work, or closed. Written before it happens. */
  agent: 'capstan_agent',
} as const;
