import type { Step } from '../envelope/step.ts';
import { badArguments, unknownTool } from '../fragments/call-answers.ts';
import type { ToolSpec } from '../ports/prompt.ts';
import type { CallItem } from '../protocol/item.ts';
import { parseJsonObject } from '../protocol/json.ts';
import { halfCharacter, oddMember } from '../protocol/odd-text.ts';
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
      const odd = call.type === 'function_call' ? oddArgument(input) : oddPatch(input);
      if (odd !== undefined) return { kind: 'refused', output: badArguments(odd) };
      return tool.prepare({ callId: call.call_id, input }, step);
    },
  };
}

/** Escapes of a zero byte and of surrogates: without them, JSON text holds neither. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** What is wrong with arguments that no tool could hand to the system; undefined when nothing is. */
function oddArgument(text: string): string | undefined {
  if (text.isWellFormed() && !suspicious.test(text)) return undefined;
  const odd = oddMember(parseJsonObject(text));
  if (odd === undefined) return undefined;
  return `${odd.at === '' ? 'They' : `\`${odd.at}\``} must not hold ${odd.what}.`;
}

/** A file may hold zero bytes, so only the paths of a patch may not; the tool looks at them. */
function oddPatch(text: string): string | undefined {
  return text.isWellFormed() ? undefined : `It must not hold ${halfCharacter}.`;
}
