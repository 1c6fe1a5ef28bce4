import type { Step } from '../envelope/step.ts';
import { unknownTool } from '../fragments/call-answers.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import type { CallItem } from '../protocol/item.ts';
import type { PreparedCall, RefusedCall, Tool } from './define.ts';

/** Finds the tool for a call. */
export interface Router {
  readonly names: readonly string[];
  /** The tools that a turn offers, in a fixed order. The same array for the same names. */
  specs(names: readonly string[]): readonly ToolSpec[];
  prepare(call: CallItem, step: Step): PreparedCall | RefusedCall;
}

export function createRouter(tools: readonly Tool[]): Router {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const planned = new Map<string, readonly ToolSpec[]>();
  return {
    names: tools.map(({ name }) => name),

    specs(names) {
      const key = names.join('\n');
      const known = planned.get(key);
      if (known !== undefined) return known;
      const specs = tools.filter(({ name }) => names.includes(name)).map(({ spec }) => spec);
      planned.set(key, specs);
      return specs;
    },

    prepare(call, step) {
      const offered = step.envelope.capabilities.tools;
      const tool = offered.includes(call.name) ? byName.get(call.name) : undefined;
      if (tool === undefined) return { kind: 'refused', output: unknownTool(call.name, offered) };
      const input = call.type === 'function_call' ? call.arguments : call.input;
      return tool.prepare({ callId: call.call_id, input }, step);
    },
  };
}
