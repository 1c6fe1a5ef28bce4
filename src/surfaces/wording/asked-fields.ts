import { defined } from '../../protocol/defined.ts';
import { type JsonObject, objectAt } from '../../protocol/json.ts';
import type { Question } from '../../protocol/question.ts';

/** A question as programs read it. `arguments`: of a tool that has no fields of its own here. */
export type AskedFields = { readonly call_id: string; readonly arguments?: JsonObject } & Omit<
  Question,
  'callId' | 'turnId' | 'item' | 'seen'
>;

export function askedFields({ id, callId, turnId: _turn, item, seen: _seen, ...question }: Question): AskedFields {
  const given = item['type'] === 'DynamicToolCall' ? objectAt(item, 'arguments') : undefined;
  return { id, call_id: callId, ...question, ...defined({ arguments: given }) };
}
