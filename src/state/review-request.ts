import { reviewMessage, type ReviewMessage } from '../fragments/review/review-message.ts';
import { entries, type History } from '../history/history.ts';
import { defined } from '../protocol/defined.ts';
import { isCall } from '../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { argumentsOf, toldEntries } from './told-entries.ts';

/**
 * What the record of a review says. The transcript and the arguments of the call are not in it: they are made from the
 * history at the record's line, and nothing large is stored twice (I9).
 */
export interface ReviewRequest {
  readonly instructions: string;
  /** Of the message that is sent. */
  readonly messageId: string;
  readonly callId: string;
  /** The question as its line has it, without what lists show of it. */
  readonly question: JsonObject;
  readonly policy: JsonObject;
  /** Tokens that there are for the message. */
  readonly space: number;
  /** Why an earlier answer could not be read. */
  readonly again?: string;
}

/** The message of the review. A call that is not in history has no arguments to show. */
export function reviewInput(history: History, request: ReviewRequest): ReviewMessage {
  const { messageId: id, callId, question, policy, space, again } = request;
  const all = entries(history);
  const { tool = '', reason, justification, ...asked } = question;
  const call = all.findLast(({ item }) => isCall(item) && item.call_id === callId)?.item;
  const texts = defined({ reason: textOf(reason), justification: textOf(justification) });
  const action = {
    tool: String(tool),
    arguments: call === undefined ? '' : argumentsOf(call),
    asked,
    policy,
    ...texts,
  };
  return reviewMessage({ id, entries: toldEntries(history), action, space, ...defined({ again }) });
}

export function readReview(value: JsonObject | undefined): ReviewRequest | undefined {
  const [instructions, messageId] = [stringAt(value, 'instructions'), stringAt(value, 'messageId')];
  const [callId, space, again] = [stringAt(value, 'callId'), numberAt(value, 'space'), stringAt(value, 'again')];
  const [question, policy] = [objectAt(value, 'question'), objectAt(value, 'policy')];
  if (instructions === undefined || messageId === undefined || callId === undefined) return undefined;
  if (space === undefined || question === undefined || policy === undefined) return undefined;
  return { instructions, messageId, callId, question, policy, space, ...defined({ again }) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
