import { estimateTokens, truncateMiddle } from '../../fragments/text/truncate.ts';
import { itemTokens } from '../../history/size.ts';
import type { Item } from '../../protocol/item.ts';
import type { CompactionPlan, CompactionSource, CompactionRequest, RequestMessage } from '../plan/plan.ts';
import { stubOf } from './stub.ts';

/** What a request for a checkpoint weighs by our estimate, instructions and tools included. */
export function requestWeight(plan: CompactionPlan, source: CompactionSource, request: CompactionRequest): number {
  const { from, to, head, tail, outputSchema } = request;
  const stubbed = new Set(request.stubbed);
  let tokens = plan.budget.fixed + messagesWeight(head) + messagesWeight(tail);
  for (let index = from; index < to; index++) tokens += sentWeight(source.input[index]!, stubbed.has(index));
  return tokens + (outputSchema === undefined ? 0 : estimateTokens(JSON.stringify(outputSchema)));
}

export function sentWeight(item: Item, stubbed: boolean): number {
  if (!stubbed) return itemTokens(item);
  const stub = stubOf(item);
  return stub === undefined ? 0 : itemTokens(stub);
}

/** What is around the text of a message: its type, role, id and part. */
const messageFrame = 40;

/** By the text as JSON writes it, where a line break is two characters. */
export function textWeight(text: string): number {
  return messageFrame + estimateTokens(JSON.stringify(text));
}

export function messagesWeight(messages: readonly RequestMessage[]): number {
  return messages.reduce((sum, { text }) => sum + textWeight(text), 0);
}

/** The text, cut in its middle until a message of it weighs no more than `most`; undefined when nothing of it fits. */
export function cutToFit(text: string, most: number): string | undefined {
  for (let limit = most - messageFrame; limit >= leastUseful; limit = Math.floor(limit * 0.8)) {
    const cut = truncateMiddle(text, { mode: 'tokens', limit });
    if (textWeight(cut) <= most) return cut;
  }
  return textWeight(text) <= most ? text : undefined;
}

/** A text that is cut to less says nothing. */
const leastUseful = 20;

/** All notes in one text, oldest first. Where they are too long together, the longest are cut, all to one length. */
export function fitNotes(notes: readonly string[], mostTokens: number): string {
  for (let limit = mostTokens; limit >= leastOfNote; limit = Math.floor(limit * 0.8)) {
    const text = notes.map((note) => truncateMiddle(note, { mode: 'tokens', limit })).join('\n\n');
    if (written(text) <= mostTokens) return text;
  }
  // So many that each would say nothing: the oldest and the newest of them.
  const all = notes.join('\n\n');
  for (let limit = mostTokens; limit > 0; limit = Math.floor(limit * 0.8)) {
    const text = truncateMiddle(all, { mode: 'tokens', limit });
    if (written(text) <= mostTokens) return text;
  }
  return '';
}

const leastOfNote = 40;

/** In a request, where a line break is two characters. */
function written(text: string): number {
  return estimateTokens(JSON.stringify(text));
}
