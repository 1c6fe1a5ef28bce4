import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** One model-visible item, exactly as in its rollout line. Never rebuild it from a view: it may have unknown keys. */
export type Item = JsonObject & { readonly type: string };
export type Role = 'user' | 'developer' | 'assistant';

export interface MessageItem extends Item {
  readonly type: 'message';
  readonly role: string;
  readonly content: readonly JsonObject[];
}

export type ReasoningItem = Item & { readonly type: 'reasoning'; readonly summary: readonly JsonObject[] };
type NamedCall = Item & { readonly name: string; readonly call_id: string };

/** `arguments` is JSON text written by the model; it may be broken. */
export type CallItem =
  | (NamedCall & { readonly type: 'function_call'; readonly arguments: string })
  | (NamedCall & { readonly type: 'custom_tool_call'; readonly input: string });

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

/** The joined text parts of a message, including refusals. Parts of other types are skipped. */
export function messageText(item: MessageItem): string {
  return item.content.map(({ type, text, refusal }) => textIn(type === 'refusal' ? refusal : text)).join('');
}

/** As `messageText`, but without refusals, which do not count as requested text. */
export const messageTextWithoutRefusals = (item: MessageItem): string =>
  item.content.map(({ type, text }) => (type === 'refusal' ? '' : textIn(text))).join('');

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export const asItem = (value: Json | undefined): Item | undefined =>
  isJsonObject(value) && typeof value['type'] === 'string' ? (value as Item) : undefined;

/** The JSON text of items from a file, as `JSON.stringify` writes it. Items share buffers: never write to one. */
const texts = new WeakMap<Item, Buffer>();

export function rememberItemText(item: Item, text: Buffer): void {
  texts.set(item, text);
}

export function takeItemText(item: Item): Buffer | undefined {
  const text = texts.get(item);
  texts.delete(item);
  return text;
}

/** The position in `text` of an output's JSON text, with its quotation marks. The bytes must not change. */
export type UnreadOutput = { readonly text: Buffer; readonly start: number; readonly end: number };
const unread = new WeakMap<Item, UnreadOutput>();

/** Defers decoding of an item's output until a reader accesses it; other readers pay nothing. */
export function setUnreadOutput(item: Item, output: UnreadOutput): void {
  unread.set(item, output);
  Object.defineProperty(item, 'output', { get: readOutput, enumerable: true, configurable: true });
}

export const hasUnreadOutput = (item: Item): boolean => unread.has(item);

/** One getter for all items, so that they have the same shape. The first access replaces it by the value. */
function readOutput(this: Item): string {
  const { text, start, end } = unread.get(this)!;
  const output = JSON.parse(text.toString('utf8', start, end)) as string;
  Object.defineProperty(this, 'output', { value: output, enumerable: true, configurable: true, writable: true });
  unread.delete(this);
  return output;
}

/** Each tag is alone on its line, before or after the plan. */
export const planTags = ['<proposed_plan>', '</proposed_plan>'] as const;
const [start, end] = planTags;

export function proposedPlan(text: string): string | undefined {
  // Fast way out: most messages hold no plan, and some are long.
  if (!text.includes(start)) return undefined;
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() === start);
  const to = lines.findIndex((line, at) => at > from && line.trim() === end);
  return from < 0 || to < 0 ? undefined : lines.slice(from + 1, to).join('\n');
}
