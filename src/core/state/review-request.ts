import { defined, ifAllDefined } from '../../base/objects.ts';
import { isCall, type Item } from '../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type ReviewEntry, messageForReviewer, type ReviewMessage } from '../fragments/approval-review.ts';
import type { HistoryEntry } from '../history/entry.ts';
import { historyEntries, type History } from '../history/history.ts';
import { outputOf, recordedItem } from './recorded/conversation-items.ts';

/** A review without transcript and arguments: they are made from history at the record's line (I9). */
export interface ReviewRequest {
  readonly instructions: string;
  readonly messageId: string;
  readonly callId: string;
  readonly question: JsonObject;
  readonly policy: JsonObject;
  readonly space: number;
  readonly again?: string;
}

/** A call that is not in history has no arguments to show. */
export function reviewInput(history: History, request: ReviewRequest): ReviewMessage {
  const { messageId: id, callId, question, policy, space, again } = request;
  const { tool = '', reason: _reason, justification: _justification, ...asked } = question;
  const call = historyEntries(history).findLast(({ item }) => isCall(item) && item.call_id === callId)?.item;
  const action = {
    tool: String(tool),
    arguments: call === undefined ? '' : callArgumentText(call),
    asked,
    policy,
    ...defined({ reason: stringAt(question, 'reason'), justification: stringAt(question, 'justification') }),
  };
  return messageForReviewer({ id, entries: transcriptEntries(history), action, space, again });
}

export function readReviewRequest(value: JsonObject | undefined): ReviewRequest | undefined {
  const review = ifAllDefined({
    instructions: stringAt(value, 'instructions'),
    messageId: stringAt(value, 'messageId'),
    callId: stringAt(value, 'callId'),
    question: objectAt(value, 'question'),
    policy: objectAt(value, 'policy'),
    space: numberAt(value, 'space'),
  });
  return review && { ...review, ...defined({ again: stringAt(value, 'again') }) };
}

export const transcriptEntries = (history: History): readonly ReviewEntry[] =>
  historyEntries(history).flatMap(entryFor);
export const callArgumentText = (call: Item): string => stringAt(call, 'arguments') ?? stringAt(call, 'input') ?? '';

/** Leaves out our own context, except checkpoints: they represent earlier conversation. */
function entryFor(entry: HistoryEntry): readonly ReviewEntry[] {
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

const withPictures = (text: string, count: number): string =>
  count === 0 ? text : `${text}\n[${count} pictures that you are not shown]`;
