import { estimateTokens, truncateMiddle } from '../../fragments/text/truncate.ts';
import { itemTokens } from '../../history/size.ts';
import type { Item } from '../../protocol/item.ts';
import type { CompactionPlan } from '../plan/plan.ts';
import type { CompactionRequest, RequestMessage } from '../plan/request.ts';
import type { CompactionSource } from '../plan/source.ts';
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
