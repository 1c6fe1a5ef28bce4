import { aborted } from '../fragments/call-answers.ts';
import { type Item } from '../protocol/item.ts';
import { stableItemId } from '../protocol/item-id.ts';
import { entries, type History } from './history.ts';

/**
 * The items to send. Every call has an answer and every answer a call: providers refuse anything else. What is added
 * here depends only on the call it answers, so that a longer history projects to a longer list with the same beginning.
 */
export function project(history: History): readonly Item[] {
  const items = entries(history).map(({ item }) => item);
  const { calls, answers } = pairs(items);
  if ([...calls].every((id) => answers.has(id)) && [...answers].every((id) => calls.has(id))) return items;
  return items.flatMap((item) => {
    const id = callId(item);
    if (id === undefined) return [item];
    if (isAnswer(item)) return calls.has(id) || isServerSide(item) ? [item] : [];
    return answers.has(id) || isServerSide(item) ? [item] : [item, missingAnswer(item, id)];
  });
}

const answerTypes: Readonly<Record<string, { readonly type: string; readonly prefix: string }>> = {
  function_call: { type: 'function_call_output', prefix: 'fco' },
  local_shell_call: { type: 'function_call_output', prefix: 'fco' },
  custom_tool_call: { type: 'custom_tool_call_output', prefix: 'ctco' },
  tool_search_call: { type: 'tool_search_output', prefix: 'tso' },
};

const answerTypeNames: ReadonlySet<string> = new Set(Object.values(answerTypes).map(({ type }) => type));

function pairs(items: readonly Item[]): { calls: ReadonlySet<string>; answers: ReadonlySet<string> } {
  const calls = new Set<string>();
  const answers = new Set<string>();
  for (const item of items) {
    const id = callId(item);
    if (id !== undefined && !isServerSide(item)) (isAnswer(item) ? answers : calls).add(id);
  }
  return { calls, answers };
}

/** Set for calls and answers that must come in pairs. An output without a call id is an event from outside: it stays. */
function callId(item: Item): string | undefined {
  if (!isAnswer(item) && answerTypes[item.type] === undefined) return undefined;
  const id = item['call_id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function isAnswer(item: Item): boolean {
  return answerTypeNames.has(item.type);
}

function isServerSide(item: Item): boolean {
  return item['execution'] === 'server';
}

const missing = new WeakMap<Item, Item>();

/** The same object for the same call, so that its bytes are encoded once. */
function missingAnswer(call: Item, id: string): Item {
  const known = missing.get(call);
  if (known !== undefined) return known;
  const { type, prefix } = answerTypes[call.type] ?? { type: 'function_call_output', prefix: 'fco' };
  const itemId = typeof call['id'] === 'string' ? { id: stableItemId(prefix, call['id']) } : {};
  const body =
    type === 'tool_search_output' ? { status: 'completed', execution: 'client', tools: [] } : { output: aborted };
  const answer: Item = { type, ...itemId, call_id: id, ...body };
  missing.set(call, answer);
  return answer;
}
