import type { ToolSpec } from '../../ports/model.ts';
import { type JsonObject, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';

/** Replacements for tools and items that only some servers know. */

/** Free text becomes a function's only argument. No server enforces the grammar, so the description shows it. */
export function freeformTool(tool: ToolSpec): JsonObject {
  const format = objectAt(tool, 'format');
  const grammar = stringAt(format, 'definition');
  const syntax = stringAt(format, 'syntax') ?? 'given';
  const rule = grammar === undefined ? [] : [`The input follows this ${syntax} grammar:\n\n${grammar}`];
  return {
    description: [stringAt(tool, 'description') ?? '', ...rule].filter((text) => text !== '').join('\n\n'),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as it is.' } },
      required: ['input'],
      additionalProperties: false,
    },
  };
}

/** The function of a free-text tool has this one member as its arguments. */
export const freeformArguments = (input: string): string => JSON.stringify({ input });

/** Servers that parse the arguments of earlier calls refuse this and every later request if they are broken. */
export function readableArguments(given: string): string {
  if (given.trim() === '') return '{}';
  return parseJsonObject(given) === undefined ? JSON.stringify({ unreadable_arguments: given }) : given;
}

/** The tool name with its namespace, for formats that know only names. */
export function namespacedToolName(call: JsonObject): string | undefined {
  const [namespace, name] = [stringAt(call, 'namespace'), stringAt(call, 'name')];
  return namespace === undefined || name === undefined ? name : `${namespace}__${name}`;
}

/** Describes a call of a provider-run tool in words; undefined for other items. */
export function describeProviderCall(item: JsonObject): string | undefined {
  if (item['type'] === 'web_search_call') {
    const action = objectAt(item, 'action');
    return inBrackets('Searched the web', stringAt(action, 'query') ?? stringAt(action, 'url'));
  }
  if (item['type'] !== 'image_generation_call') return undefined;
  return inBrackets('Generated a picture', stringAt(item, 'revised_prompt'));
}

const inBrackets = (what: string, about: string | undefined): string =>
  `[${what}${about === undefined ? '.' : `: ${about}`}]`;

export function agentHeading(item: JsonObject): JsonObject {
  const [author = 'an agent', recipient = 'you'] = [stringAt(item, 'author'), stringAt(item, 'recipient')];
  return { type: 'input_text', text: `[Message from ${author} to ${recipient}]` };
}
