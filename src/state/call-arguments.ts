import type { CallItem } from '../protocol/item.ts';
import { type JsonObject, parseJsonObject } from '../protocol/json.ts';
import type { CommandItem } from '../protocol/turn-item.ts';

/** The arguments that the model wrote. Those that are no JSON object are none. */
export function callArguments(call: CallItem): JsonObject {
  return call.type === 'function_call' ? (parseJsonObject(call.arguments) ?? {}) : { input: call.input };
}

/** The command that a call asked for, as the model wrote it, where the call was not run. Undefined: it is another call. */
export function commandNotRun(call: CallItem): CommandItem | undefined {
  const { cmd } = call.name === 'exec_command' ? callArguments(call) : {};
  if (typeof cmd !== 'string') return undefined;
  return { kind: 'command', id: call.call_id, argv: ['sh', '-c', cmd], cwd: '', status: 'declined', output: '' };
}
