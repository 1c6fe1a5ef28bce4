import type { JsonObject } from '../../../protocol/json.ts';

/** Parts of JSON Schemas. They are short: the list of tools fills the window of the host. */

export const yesOrNo: JsonObject = { type: 'boolean' };
export const anObject: JsonObject = { type: 'object' };
export const textList: JsonObject = { type: 'array', items: { type: 'string' } };
/** Of objects; what they hold is in the documentation. */
export const list: JsonObject = { type: 'array' };

export function text(description?: string): JsonObject {
  return { type: 'string', ...(description !== undefined && { description }) };
}

export function choiceOf(...choices: readonly string[]): JsonObject {
  return { type: 'string', enum: choices };
}

/** A whole number that is not negative. */
export function whole(description?: string, minimum = 0): JsonObject {
  return { type: 'integer', minimum, ...(description !== undefined && { description }) };
}

/** What a tool takes. The wire refuses other keys without being told here. */
export function inputOfTool(properties: JsonObject, required: readonly string[] = ['thread_id']): JsonObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** What a tool gives; more may come with later versions. */
export function outputOfTool(properties: JsonObject, required: readonly string[] = ['thread_id']): JsonObject {
  return { type: 'object', properties, required };
}
