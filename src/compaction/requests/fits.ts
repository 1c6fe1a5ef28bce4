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

export function textWeight(text: string): number {
  return messageFrame + written(text);
}

/** By the text as JSON writes it, where a line break is two characters. */
function written(text: string): number {
  return estimateTokens(JSON.stringify(text));
}

export function messagesWeight(messages: readonly RequestMessage[]): number {
  return messages.reduce((sum, { text }) => sum + textWeight(text), 0);
}

/** A text that is cut to less says nothing. */
const leastUseful = 20;
const leastOfNote = 40;

/** The text, cut in its middle until a message of it weighs no more than `most`; undefined when nothing of it fits. */
export function cutToFit(text: string, most: number): string | undefined {
  const space = most - messageFrame;
  return cutUntilFit(space, leastUseful, (cut) => cut(text)) ?? (written(text) <= space ? text : undefined);
}

/** All notes in one text, oldest first. Where they are too long together, the longest are cut, all to one length. */
export function fitNotes(notes: readonly string[], most: number): string {
  const each = cutUntilFit(most, leastOfNote, (cut) => notes.map(cut).join('\n\n'));
  // So many that each would say nothing: the oldest and the newest of them.
  return each ?? cutUntilFit(most, 1, (cut) => cut(notes.join('\n\n'))) ?? '';
}

function cutUntilFit(most: number, least: number, make: (cut: (text: string) => string) => string): string | undefined {
  for (let limit = most; limit >= least; limit = Math.floor(limit * 0.8)) {
    const text = make((whole) => truncateMiddle(whole, { mode: 'tokens', limit }));
    if (written(text) <= most) return text;
  }
  return undefined;
}
