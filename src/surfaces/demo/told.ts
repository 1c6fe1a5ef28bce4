import { isMessage, type Item, messageText } from '../../protocol/item.ts';
import { arrayAt, isJsonObject, stringAt } from '../../protocol/json.ts';
import type { RecordedRequest } from '../../testing/index.ts';
import { isCallOutput, sentItems } from './scripted-answers.ts';

/** What the engine put into a request since the one before: neither the model's own items nor the user's words. */
export function toldIn(
  request: RecordedRequest,
  before: RecordedRequest | undefined,
  words: string,
): readonly string[] {
  const known = before === undefined ? 0 : sentItems(before).length;
  return sentItems(request)
    .slice(known)
    .flatMap(textsIn)
    .filter((text) => text !== words);
}

/** The part of a request that stays the same: instructions and tools. */
export function constantParts({ body }: RecordedRequest): string {
  const tools = (arrayAt(body, 'tools') ?? []).filter(isJsonObject).map((tool) => stringAt(tool, 'name'));
  return `${kilobytes(Buffer.byteLength(stringAt(body, 'instructions') ?? ''))} of instructions, tools: ${tools.join(', ')}`;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KB`;
}

function textsIn(item: Item): readonly string[] {
  if (isCallOutput(item)) return [stringAt(item, 'output') ?? ''];
  if (!isMessage(item) || item.role === 'assistant') return [];
  // A message may hold several texts of ours, each with its own markers.
  return item.content.map((part) => messageText({ ...item, content: [part] }));
}
