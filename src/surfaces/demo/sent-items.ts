import { asItem, isMessage, type Item, messageText } from '../../protocol/item.ts';
import { arrayAt, stringAt } from '../../protocol/json.ts';
import type { RecordedRequest } from '../../testing/index.ts';

/** The input of a request. */
export function sentItems({ body }: Pick<RecordedRequest, 'body'>): readonly Item[] {
  return (arrayAt(body, 'input') ?? []).map(asItem).filter((item) => item !== undefined);
}

/** What the model was told came of its calls. */
export function callOutputs(items: readonly Item[]): readonly string[] {
  return items.filter(isCallOutput).map((item) => stringAt(item, 'output') ?? '');
}

/** Texts that the model did not write itself. A message may hold several, each with its own markers. */
export function textsOfEngine(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => {
    if (isCallOutput(item)) return callOutputs([item]);
    if (!isMessage(item) || item.role === 'assistant') return [];
    return item.content.map((part) => messageText({ ...item, content: [part] }));
  });
}

function isCallOutput({ type }: Item): boolean {
  return type === 'function_call_output' || type === 'custom_tool_call_output';
}
