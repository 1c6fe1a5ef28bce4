import { isJsonObject, type JsonObject } from '../protocol/json.ts';

/** The arguments of a function call, or undefined when the model wrote something that is no JSON object. */
export function parseArguments(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
