import { defined } from '../protocol/defined.ts';
import type { CallItem } from '../protocol/item.ts';
import { arrayAt, type JsonObject, objectAt, parseJsonObject, stringAt } from '../protocol/json.ts';

/** What hooks said about a call that is asked about. Its answer may come in another process, which does not ask them again. */
export interface SaidByHooks {
  /** What runs in the place of the arguments that the model wrote. */
  readonly input?: string;
  /** They want the user to decide. */
  readonly asks?: true;
  /** For the model, behind the answer to the call. */
  readonly texts?: readonly string[];
}

/** As a question's line has it. */
export function saidByHooksIn(payload: JsonObject): SaidByHooks | undefined {
  const hook = objectAt(payload, 'hook');
  if (hook === undefined) return undefined;
  const texts = arrayAt(hook, 'texts')?.filter((text) => typeof text === 'string');
  return defined({ input: stringAt(hook, 'input'), asks: hook['asks'] === true || undefined, texts });
}

/** A call of the model as it would run. The model's own item stays as it is. */
export function asHooksLeft(call: CallItem, { input }: SaidByHooks = {}): CallItem {
  if (input === undefined) return call;
  return call.type === 'function_call' ? { ...call, arguments: input } : { ...call, input };
}

/** What its tool reads. */
export function inputOfCall(call: CallItem): string {
  return call.type === 'function_call' ? call.arguments : call.input;
}

/** The same in short: of a command, the command itself. */
export function shownInputOf(call: CallItem): string {
  const input = inputOfCall(call);
  return (call.name === 'exec_command' ? stringAt(parseJsonObject(input), 'cmd') : undefined) ?? input;
}
