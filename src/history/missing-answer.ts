import { abortedCall } from '../fragments/answers/call-answers.ts';
import type { Item } from '../protocol/item.ts';
import { oncePerObject } from '../protocol/once-per-object.ts';
import { stableItemId } from '../protocol/item-id.ts';

/** Calls and answers that must come in pairs: providers refuse anything else. */

const answerTypes: Readonly<Record<string, { readonly type: string; readonly prefix: string }>> = {
  function_call: { type: 'function_call_output', prefix: 'fco' },
  local_shell_call: { type: 'function_call_output', prefix: 'fco' },
  custom_tool_call: { type: 'custom_tool_call_output', prefix: 'ctco' },
  tool_search_call: { type: 'tool_search_output', prefix: 'tso' },
};

const answerTypeNames: ReadonlySet<string> = new Set(Object.values(answerTypes).map(({ type }) => type));

/** Set for an item that needs its other half. Events from outside and what a server did itself stand alone. */
export function pairedItem(item: Item): { readonly id: string; readonly half: 'call' | 'answer' } | undefined {
  const isAnswer = answerTypeNames.has(item.type);
  if (!isAnswer && answerTypes[item.type] === undefined) return undefined;
  const id = item['call_id'];
  if (typeof id !== 'string' || id === '' || item['execution'] === 'server') return undefined;
  return { id, half: isAnswer ? 'answer' : 'call' };
}

/** Stands in for the answer that a call never got. The same object for the same call, so that it is encoded once. */
export const missingAnswer = oncePerObject((call: Item): Item => {
  const { type, prefix } = answerTypes[call.type] ?? { type: 'function_call_output', prefix: 'fco' };
  const itemId = typeof call['id'] === 'string' ? { id: stableItemId(prefix, call['id']) } : {};
  const body =
    type === 'tool_search_output' ? { status: 'completed', execution: 'client', tools: [] } : { output: abortedCall };
  return { type, ...itemId, call_id: call['call_id'], ...body };
});
