import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** As text. What the model gets of a schema is a small part of this, and making it smaller takes time. */
const mostCharacters = 256 * 1024;

/** Put in the place of a schema that is too large, before the library looks at every member of it. */
const leftOut: JsonObject = { type: 'object', capstan_too_large: true };

/** True if a tool of the list has a schema that is too large. */
export function isTooLarge({ inputSchema = null, outputSchema = null }: JsonObject): boolean {
  if (isJsonObject(inputSchema) && inputSchema['capstan_too_large'] === true) return true;
  return [inputSchema, outputSchema].some((schema) => JSON.stringify(schema).length > mostCharacters);
}

/** The message, which has so many characters, with no schema that is too large in a list of tools. */
export function withoutHugeSchemas(message: JsonObject, characters: number): JsonObject {
  const { result } = message;
  if (characters <= mostCharacters || !isJsonObject(result) || !Array.isArray(result['tools'])) return message;
  const tools = result['tools'].map((tool: Json) => {
    if (!isJsonObject(tool) || !isTooLarge(tool)) return tool;
    const { outputSchema: _large, ...others } = tool;
    return { ...others, inputSchema: leftOut };
  });
  return { ...message, result: { ...result, tools } };
}
