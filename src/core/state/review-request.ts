import { defined } from '../../base/objects.ts';
import { isCall, type Item } from '../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type ReviewEntry, reviewMessage, type ReviewMessage } from '../fragments/approval-review.ts';
import type { Entry } from '../history/entry.ts';
import { entries, type History } from '../history/history.ts';
import { outputOf, recordedItem } from './recorded/conversation-items.ts';

/**
 * Record of a review, without the transcript and the call's arguments: they are made from history at the record's line,
 * and nothing large is stored twice (I9).
 */
export interface ReviewRequest {
  readonly instructions: string;
  readonly messageId: string;
  readonly callId: string;
  readonly question: JsonObject;
  readonly policy: JsonObject;
  readonly space: number;
  /** The reason why an earlier answer could not be read. */
  readonly again?: string;
}

/** A call that is not in history has no arguments to show. */
export function reviewInput(history: History, request: ReviewRequest): ReviewMessage {
  const { messageId: id, callId, question, policy, space, again } = request;
  const all = entries(history);
  const { tool = '', reason, justification, ...asked } = question;
  const call = all.findLast(({ item }) => isCall(item) && item.call_id === callId)?.item;
  const texts = defined({ reason: textOf(reason), justification: textOf(justification) });
  const action = {
    tool: String(tool),
    arguments: call === undefined ? '' : callArgumentText(call),
    asked,
    policy,
    ...texts,
  };
  return reviewMessage({ id, entries: transcriptEntries(history), action, space, ...defined({ again }) });
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

export function transcriptEntries(history: History): readonly ReviewEntry[] {
  return entries(history).flatMap(entryFor);
}

export function callArgumentText(call: Item): string {
  return stringAt(call, 'arguments') ?? stringAt(call, 'input') ?? '';
}

/** Only checkpoints of our own context: they represent earlier conversation. */
function entryFor(entry: Entry): readonly ReviewEntry[] {
  const { item, origin } = entry;
  if (item.type.endsWith('_output')) {
    const { text, pictures } = outputOf(item);
    return [{ from: 'output', text: withPictures(text, pictures.length) }];
  }
  const shown = recordedItem(entry);
  switch (shown?.kind) {
    case 'user':
      return [{ from: shown.author ?? 'user', text: withPictures(shown.texts.join('\n'), shown.pictures.length) }];
    case 'assistant':
      return [{ from: 'assistant', text: shown.text }];
    case 'call':
      return [{ from: 'call', text: `${shown.name} ${isCall(item) ? callArgumentText(item) : shown.input}` }];
    case 'context': {
      if (origin.family === 'client') return [{ from: 'program', text: shown.text }];
      const isCheckpoint = origin.family === 'context' && origin.kinds.some((kind) => kind.startsWith('checkpoint-'));
      return isCheckpoint ? [{ from: 'summary', text: shown.text }] : [];
    }
    default:
      return [];
  }
}

function withPictures(text: string, count: number): string {
  return count === 0 ? text : `${text}\n[${count} pictures that you are not shown]`;
}
