import type { ToolSpec } from '../../ports/prompt.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';

/** Tools as this format offers them: every one is a function. Those that a provider runs itself are left out. */
export function chatTools(tools: readonly ToolSpec[]): readonly JsonObject[] {
  return tools.flatMap((tool) => {
    if (tool.type === 'function') return [functionTool(tool, tool)];
    if (tool.type === 'custom') return [functionTool(tool, freeformTool(tool))];
    return [];
  });
}

function functionTool({ name }: ToolSpec, { description, parameters, strict }: JsonObject): JsonObject {
  const empty = { type: 'object', properties: {} };
  return {
    type: 'function',
    function: {
      name: name ?? '',
      ...(typeof description === 'string' && { description }),
      parameters: parameters ?? empty,
      ...(strict === true && { strict }),
    },
  };
}

/** Free text becomes the one argument of a function. No server holds it to its grammar, so the description shows that. */
function freeformTool(tool: ToolSpec): JsonObject {
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
