import type { TurnId } from './ids.ts';
import type { JsonObject } from './json.ts';

/** Whether a call may run. It is durable before it is asked. */
export interface Question {
  /** That of the call. */
  readonly callId: string;
  readonly turnId: TurnId;
  readonly tool: string;
  /** What lists and screens show of the call, in the form of the file. */
  readonly item: JsonObject;
  /** Files that it is known to read or write. */
  readonly paths?: readonly { readonly path: string; readonly access: 'read' | 'write' }[];
  /** It wants more than the sandbox grants, for this reason if one was given. */
  readonly escalation?: { readonly reason?: string };
}

/** `lapsed`: the turn was interrupted before the user answered. `note`: what the user wants the model to know. */
export interface Answer {
  readonly kind: 'allowed' | 'declined' | 'lapsed';
  readonly note?: string;
}

/** A question without an answer. On a thread that no program writes, it was cut off with its turn. */
export type PendingQuestion = Question;
