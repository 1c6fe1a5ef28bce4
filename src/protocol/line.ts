import type { JsonObject } from './json.ts';
import type { Ordinal } from './ids.ts';

/**
 * One line of a rollout file. Key order on disk: timestamp, ordinal, type, payload, metadata.
 * Lines of unknown type and unknown keys anywhere are legal; readers skip what they do not know.
 */
export interface Line {
  /** UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`: when the line was written. */
  readonly timestamp: string;
  /** Present in paginated files, absent in legacy ones. */
  readonly ordinal?: Ordinal;
  readonly type: string;
  readonly payload: JsonObject;
  /** Only on `response_item`: what the harness knows about the item and the model does not see. */
  readonly metadata?: JsonObject;
}

/** What a line is about. */
export interface LineKind {
  readonly type: string;
  /** The payload's own type; undefined also when it is not known yet. */
  readonly payloadType: string | undefined;
}

/** A line before the journal stamps it with its time and ordinal. */
export interface LineDraft extends Pick<Line, 'type' | 'payload' | 'metadata'> {
  /**
   * What the model does not see and has no place in the line. A store that keeps such bytes puts their name into
   * `metadata.capstan`, under the same key; others ignore them.
   */
  readonly beside?: Readonly<Record<string, Uint8Array>>;
}

/** Line types that other programs share with us. */
export const lineType = {
  sessionMeta: 'session_meta',
  responseItem: 'response_item',
  event: 'event_msg',
  turnContext: 'turn_context',
  worldState: 'world_state',
  compacted: 'compacted',
  /** Ours: the tools offered to the model, written when the set changes. */
  toolSet: 'capstan_tool_set',
  /** Ours: what a model request held besides instructions, tools and input. Written before the request is sent. */
  request: 'capstan_request',
  /** Ours: digest and size of the body that was sent. Written while the model thinks. */
  sent: 'capstan_sent',
  /** Ours: a call begins, and once more when its process is known. Written before it has an effect. */
  call: 'capstan_call',
  /** Ours: a command outlives its call, ends, or is no more. The first is written before the answer of the call. */
  session: 'capstan_session',
  /** Ours: the user is asked whether a call may run, and the answer. The first is written before the user is asked. */
  question: 'capstan_question',
  /** Ours: how a request went: times, tokens, outcome. Written when its calls are done. */
  step: 'capstan_step',
  /** Ours: a compaction that changed nothing, and what it cost. */
  compaction: 'capstan_compaction',
  /** Ours: the history behind a provider's own checkpoint is used again, because another provider takes over. */
  reopened: 'capstan_reopened',
  /** Ours: the workspace before and after a change. The first is written before it. */
  snapshot: 'capstan_snapshot',
  /** Ours: a note that the user pinned, or its end. */
  pin: 'capstan_pin',
  /** Ours: a message that was accepted and cannot enter history yet, or the end of one that never will. */
  waiting: 'capstan_waiting',
  /** Ours: a warning that is said once in a thread was said. Written before it is. */
  warning: 'capstan_warning',
  /** Ours: a hook ran, and what came of it. What the model reads of it stands in items. */
  hook: 'capstan_hook',
  /** Ours: an agent is started, given more work, or closed. Written before it is. */
  agent: 'capstan_agent',
} as const;
