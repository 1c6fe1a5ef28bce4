import type { CallItem } from '../protocol/item.ts';
import { type JsonObject, parseJsonObject } from '../protocol/json.ts';

/** The arguments that the model wrote. Those that are no JSON object are none. */
export function callArguments(call: CallItem): JsonObject {
  return call.type === 'function_call' ? (parseJsonObject(call.arguments) ?? {}) : { input: call.input };
}
