import type { CallItem } from '../../protocol/item.ts';
import { isJsonObject, type JsonObject, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';

/** A call in the words that hooks know. */
export interface HookedCall {
  /** The name of its tool for hooks, then others that matchers may use for it. */
  readonly names: readonly string[];
  readonly input: JsonObject;
}

/** `mcp`: the tool of a server that is meant, by whichever name the model called it. */
export function hookedCall(call: CallItem, mcp: McpToolName | undefined): HookedCall {
  const given = argumentsOf(call);
  if (mcp !== undefined) {
    const name = `mcp__${mcp.server}__${mcp.tool}`;
    return { names: [name, ...reachedBy(call)].filter(isFirst), input: isDeferred(call) ? innerOf(given) : given };
  }
  switch (call.name) {
    case deferredCall:
      return { names: reachedBy(call), input: innerOf(given) };
    case 'exec_command':
      return { names: ['Bash'], input: { command: stringAt(given, 'cmd') ?? '', ...picked(given, besideCommand) } };
    case 'write_stdin':
      // What is typed into a shell is a command like any other.
      return {
        names: ['write_stdin', 'Bash'],
        input: { command: stringAt(given, 'chars') ?? '', ...picked(given, ['session_id']) },
      };
    case 'apply_patch':
      return { names: ['apply_patch', 'Write', 'Edit'], input: { command: patchOf(call) } };
    case 'edit_file':
      return { names: ['edit_file', 'Write', 'Edit'], input: given };
    case 'read_file':
      return { names: ['read_file', 'Read'], input: given };
    case 'search':
      return { names: ['search', 'Grep', 'Glob'], input: given };
    case 'spawn_agent':
      return { names: ['spawn_agent', 'Agent'], input: given };
    default:
      return { names: [call.name], input: given };
  }
}

/** What decides, besides its words, about what a command can do. A hook reads and changes these under the model's own names. */
const besideCommand = [
  'workdir',
  'stdin',
  'tty',
  'sandbox_permissions',
  'additional_permissions',
  'justification',
  'prefix_rule',
] as const;

function picked(given: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

/** The call with what a hook put in the place of its input, or why that is no input. */
export function changedCall(call: CallItem, input: JsonObject): CallItem | string {
  const isNamed = ['exec_command', 'write_stdin', 'apply_patch'].includes(call.name);
  const command = stringAt(input, 'command');
  if (isNamed && command === undefined) return 'updatedInput has no `command`.';
  if (call.type === 'custom_tool_call') return { ...call, input: command ?? JSON.stringify(input) };
  const own = {
    exec_command: { ...picked(input, besideCommand), cmd: command },
    write_stdin: { chars: command },
    apply_patch: { input: command },
    [deferredCall]: { arguments: input },
  }[call.name];
  const given = own === undefined ? input : { ...argumentsOf(call), ...own };
  return { ...call, arguments: JSON.stringify(given) };
}

function argumentsOf(call: CallItem): JsonObject {
  return (call.type === 'function_call' ? parseJsonObject(call.arguments) : undefined) ?? {};
}

function patchOf(call: CallItem): string {
  return call.type === 'custom_tool_call' ? call.input : (stringAt(argumentsOf(call), 'input') ?? call.arguments);
}

/** The tool by which the model calls one that is not in its list. */
const deferredCall = 'call_tool';

interface McpToolName {
  readonly server: string;
  readonly tool: string;
}

function isDeferred({ name }: CallItem): boolean {
  return name === deferredCall;
}

/** The names in the call itself. */
function reachedBy(call: CallItem): readonly string[] {
  const inner = isDeferred(call) ? stringAt(argumentsOf(call), 'name') : undefined;
  return inner === undefined ? [call.name] : [inner, call.name];
}

/** Some models write them as text. */
function innerOf({ arguments: inner }: JsonObject): JsonObject {
  return (typeof inner === 'string' ? parseJsonObject(inner) : isJsonObject(inner) ? inner : undefined) ?? {};
}

function isFirst(name: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(name) === at;
}

/** Of a call of a server's tool. */
export function mcpToolOf(item: TurnItem): McpToolName | undefined {
  if (item.kind !== 'tool-call' || item.server === undefined) return undefined;
  return { server: item.server, tool: item.tool };
}
