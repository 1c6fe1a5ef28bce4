import { isJsonObject, type Json, type JsonObject } from './json.ts';

/**
 * One model-visible item in the Responses dialect, exactly as it stands in its rollout line.
 * Unknown types and unknown keys are kept: an item is never rebuilt from a parsed view of it.
 */
export interface Item extends JsonObject {
  readonly type: string;
}

export type Role = 'user' | 'developer' | 'assistant';

export interface MessageItem extends Item {
  readonly type: 'message';
  readonly role: string;
  readonly content: readonly JsonObject[];
}

export interface ReasoningItem extends Item {
  readonly type: 'reasoning';
  readonly summary: readonly JsonObject[];
}

/** `arguments` is JSON text written by the model; it may be broken. */
export interface FunctionCallItem extends Item {
  readonly type: 'function_call';
  readonly name: string;
  readonly arguments: string;
  readonly call_id: string;
}

export interface CustomToolCallItem extends Item {
  readonly type: 'custom_tool_call';
  readonly name: string;
  readonly input: string;
  readonly call_id: string;
}

/** A call that this engine must answer with an output of the matching type. */
export type CallItem = FunctionCallItem | CustomToolCallItem;

export function isMessage(item: Item): item is MessageItem {
  const content = item['content'];
  if (item.type !== 'message' || typeof item['role'] !== 'string') return false;
  return Array.isArray(content) && content.every(isJsonObject);
}

export function isReasoning(item: Item): item is ReasoningItem {
  const summary = item['summary'];
  return item.type === 'reasoning' && Array.isArray(summary) && summary.every(isJsonObject);
}

export function isCall(item: Item): item is CallItem {
  if (typeof item['call_id'] !== 'string' || typeof item['name'] !== 'string') return false;
  return (
    (item.type === 'function_call' && typeof item['arguments'] === 'string') ||
    (item.type === 'custom_tool_call' && typeof item['input'] === 'string')
  );
}

/** The text parts of a message, joined, and the words of a refusal. Parts of other types are skipped. */
export function messageText(item: MessageItem): string {
  return item.content.map(({ type, text, refusal }) => textIn(type === 'refusal' ? refusal : text)).join('');
}

/** The same without refusals: where a text was asked for, the words of a refusal are none. */
export function writtenText(item: MessageItem): string {
  return item.content.map(({ type, text }) => (type === 'refusal' ? '' : textIn(text))).join('');
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function asItem(value: Json | undefined): Item | undefined {
  return isJsonObject(value) && typeof value['type'] === 'string' ? (value as Item) : undefined;
}
