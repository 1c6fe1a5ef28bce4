import type { Question } from '../../protocol/question.ts';

/** A question as programs read it. */
export type AskedFields = { readonly call_id: string } & Omit<Question, 'callId' | 'turnId' | 'item' | 'seen'>;

export function askedFields({
  id,
  callId,
  turnId: _turn,
  item: _item,
  seen: _seen,
  ...question
}: Question): AskedFields {
  return { id, call_id: callId, ...question };
}
