import type { ToolSpec } from '../../ports/prompt.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { freeformTool } from '../http/plainer-forms.ts';

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
