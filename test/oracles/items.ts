import type { ScriptedModel } from '../../src/testing/index.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { Place } from '../harness/run-capstan.ts';

/** The items of a request, as they were sent. */
export function inputOf(model: ScriptedModel, request: number): readonly JsonObject[] {
  return (model.requests[request]?.body['input'] ?? []) as readonly JsonObject[];
}

/** The input of Codex: its base instructions as the first message, then the history. */
export function codexInput(
  model: ScriptedModel,
  request: number,
): { readonly instructions: string; readonly history: readonly JsonObject[] } {
  const [first, ...history] = inputOf(model, request);
  return { instructions: textsOf(first === undefined ? [] : [first]).join(''), history };
}

/** The items in the files of a place that the model saw, in their order. */
export function storedItems(place: Place): readonly JsonObject[] {
  return place.lines().flatMap(({ type, payload }) => (type === 'response_item' ? [payload] : []));
}

/** A stored item as it goes over the wire: the housekeeping of Codex stays in the file. */
export function asSent(item: JsonObject): JsonObject {
  const sent = Object.entries(item).filter(([key]) => key !== 'internal_chat_message_metadata_passthrough');
  return Object.fromEntries(sent) as JsonObject;
}

/** The item without an absent value that Codex spells out: it gives a reasoning item `"content": null`. */
export function withoutNullContent(item: JsonObject): JsonObject {
  const { content, ...rest } = asSent(item);
  return content === null || content === undefined ? rest : { ...rest, content };
}

/** All texts that the items hold: of messages part by part, of answers to calls whole. */
export function textsOf(items: readonly JsonObject[]): readonly string[] {
  return items.flatMap(({ content, output }) => {
    if (typeof output === 'string') return [output];
    if (!Array.isArray(content)) return [];
    return content.flatMap((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
  });
}

/** Calls without an answer and answers without a call. Providers refuse a request that has any. */
export function unpaired(items: readonly JsonObject[]): readonly JsonObject[] {
  const answers = new Set(items.filter(isAnswer).map(({ call_id: id }) => id));
  const calls = new Set(items.filter(isCall).map(({ call_id: id }) => id));
  return items.filter(
    (item) => (isCall(item) && !answers.has(item['call_id'])) || (isAnswer(item) && !calls.has(item['call_id'])),
  );
}

function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function isAnswer({ type }: JsonObject): boolean {
  return type === 'function_call_output' || type === 'custom_tool_call_output';
}
