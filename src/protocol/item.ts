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

/**
 * Texts of items that were read and need not be made again. A text is exactly what `JSON.stringify` makes of its item.
 * It may lie in a block of a file, with others: it is not to be changed.
 */
const texts = new WeakMap<Item, Buffer>();

export function rememberItemText(item: Item, text: Buffer): void {
  texts.set(item, text);
}

/** The text is asked for once: nothing is kept for a second time. */
export function takeItemText(item: Item): Buffer | undefined {
  const text = texts.get(item);
  texts.delete(item);
  return text;
}

/** Where the JSON text of an output stands, its quotation marks included. The bytes stay what they are. */
export interface UnreadOutput {
  readonly text: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Of each output that was left unread. */
const unread = new WeakMap<Item, UnreadOutput>();

/** Gives an item its output unread: a reader that looks at it gets its text, and one that does not pays nothing. */
export function setUnreadOutput(item: Item, output: UnreadOutput): void {
  unread.set(item, output);
  Object.defineProperty(item, 'output', { get: readOutput, enumerable: true, configurable: true });
}

/** Whether the item has an output that has not been read. It is a text. */
export function hasUnreadOutput(item: Item): boolean {
  return unread.has(item);
}

/** One function for all items, so that they have one shape. From the first reading on the output is a plain member. */
function readOutput(this: Item): string {
  const { text, start, end } = unread.get(this)!;
  const output = JSON.parse(text.toString('utf8', start, end)) as string;
  Object.defineProperty(this, 'output', { value: output, enumerable: true, configurable: true, writable: true });
  unread.delete(this);
  return output;
}

/** Lines of their own in a message, around the plan. */
export const planTags = ['<proposed_plan>', '</proposed_plan>'] as const;
const [start, end] = planTags;

/** The plan that a message of the model proposes, without its tags. Undefined: it proposes none. */
export function proposedPlan(text: string): string | undefined {
  // Most messages hold none, and some are long.
  if (!text.includes(start)) return undefined;
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() === start);
  const to = lines.findIndex((line, at) => at > from && line.trim() === end);
  return from < 0 || to < 0 ? undefined : lines.slice(from + 1, to).join('\n');
}
