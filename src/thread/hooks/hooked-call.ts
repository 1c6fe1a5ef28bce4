import type { CallItem } from '../../protocol/item.ts';
import { type JsonObject, parseJsonObject, stringAt } from '../../protocol/json.ts';

/** A call in the words that hooks know. */
export interface HookedCall {
  /** The name of its tool for hooks, then others that matchers may use for it. */
  readonly names: readonly string[];
  readonly input: JsonObject;
}

export function hookedCall(call: CallItem): HookedCall {
  const given = argumentsOf(call);
  switch (call.name) {
    case 'exec_command':
      return { names: ['Bash'], input: { command: stringAt(given, 'cmd') ?? '' } };
    case 'apply_patch':
      return { names: ['apply_patch', 'Write', 'Edit'], input: { command: patchOf(call) } };
    case 'spawn_agent':
      return { names: ['spawn_agent', 'Agent'], input: given };
    default:
      return { names: [call.name], input: given };
  }
}

/** The call with what a hook put in the place of its input, or why that is no input. */
export function changedCall(call: CallItem, input: JsonObject): CallItem | string {
  const isNamed = call.name === 'exec_command' || call.name === 'apply_patch';
  const command = stringAt(input, 'command');
  if (isNamed && command === undefined) return 'updatedInput has no `command`.';
  if (call.type === 'custom_tool_call') return { ...call, input: command ?? JSON.stringify(input) };
  const own = { exec_command: { cmd: command }, apply_patch: { input: command } }[call.name];
  const given = own === undefined ? input : { ...argumentsOf(call), ...own };
  return { ...call, arguments: JSON.stringify(given) };
}

function argumentsOf(call: CallItem): JsonObject {
  return (call.type === 'function_call' ? parseJsonObject(call.arguments) : undefined) ?? {};
}

function patchOf(call: CallItem): string {
  return call.type === 'custom_tool_call' ? call.input : (stringAt(argumentsOf(call), 'input') ?? call.arguments);
}
