import type { Encoder, FrameLink, ModelPrompt, ToolSpec } from '../../../ports/model.ts';
import { isMessage, type Item } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { cachePerObject } from '../../../base/objects.ts';
import {
  agentHeading,
  describeProviderCall,
  freeformArguments,
  freeformTool,
  namespacedToolName,
  readableArguments,
} from '../fallback-item-forms.ts';
import type { WireFormat } from '../http/http-client.ts';
import { responsesClient, responsesFormat } from './client.ts';
import { fullFrame, incrementalFrame, itemBytes, responsesEncoder } from './encode.ts';

/** Responses API of servers that take only messages, function calls, outputs and thoughts. */
export const functionsOnlyFormat: WireFormat = {
  ...responsesFormat,
  encoder: functionsOnlyEncoder,
  client: (options) => responsesClient(options, functionsFrame),
};

function functionsOnlyEncoder(): Encoder {
  const { version, body } = responsesEncoder();
  return {
    version: `${version}+functions`,
    body: (prompt) => body(forFunctions(prompt)),
    item: (item) => {
      const known = itemForFunctions(item);
      return known === undefined ? new Uint8Array() : itemBytes(known);
    },
    frame: (prompt, link) =>
      link === undefined ? fullFrame(body(forFunctions(prompt))) : functionsFrame(prompt, link),
  };
}

/** `from` counts items of the history, so this cuts the history first and then leaves out unsupported items. */
const functionsFrame = (prompt: ModelPrompt, { previous, from }: FrameLink): readonly Uint8Array[] =>
  incrementalFrame(forFunctions({ ...prompt, input: prompt.input.slice(from) }), { previous, from: 0 });

const forFunctions = (prompt: ModelPrompt): ModelPrompt => ({
  ...prompt,
  tools: toolsForFunctions(prompt.tools),
  input: prompt.input.flatMap((item) => itemForFunctions(item) ?? []),
});

/** Returns one result per list, so that it is encoded once. */
const toolsForFunctions = cachePerObject((tools: readonly ToolSpec[]): readonly ToolSpec[] =>
  tools.some(({ type }) => type === 'custom') ? tools.map(toolForFunctions) : tools,
);

function toolForFunctions(tool: ToolSpec): ToolSpec {
  if (tool.type !== 'custom') return tool;
  return { type: 'function', name: tool['name'] ?? '', strict: false, ...freeformTool(tool) };
}

/** The item in a form that such a server accepts, the same object each time; undefined if there is none. */
export const itemForFunctions = cachePerObject((item: Item): Item | undefined => {
  switch (item.type) {
    case 'message': {
      const isAnswer = isMessage(item) && item.role === 'assistant';
      return withKnownParts(item, 'content', isAnswer ? 'output_text' : 'input_text');
    }
    case 'agent_message':
      return withKnownParts(message('user', [agentHeading(item), ...(arrayAt(item, 'content') ?? [])]), 'content');
    case 'function_call':
      return functionCall(item);
    case 'custom_tool_call':
      return called(item, namespacedToolName(item), freeformArguments(stringAt(item, 'input') ?? ''));
    case 'local_shell_call':
      return called(item, 'local_shell', JSON.stringify(objectAt(item, 'action') ?? {}));
    case 'tool_search_call':
      return called(item, 'tool_search', JSON.stringify(item['arguments'] ?? {}));
    case 'function_call_output':
      return stringAt(item, 'call_id') === undefined ? answered(item, item['output']) : withKnownParts(item, 'output');
    case 'custom_tool_call_output':
      return answered(item, item['output']);
    case 'tool_search_output':
      return answered(item, JSON.stringify(item['tools'] ?? []));
    case 'web_search_call':
    case 'image_generation_call':
      return message('assistant', [{ type: 'output_text', text: describeProviderCall(item) ?? '' }]);
    // Thoughts are sent only to a server that made one or that says that it makes them.
    case 'reasoning':
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
    case 'compaction_trigger':
      return item;
    default:
      return undefined;
  }
});

const message = (role: string, content: readonly Json[]): Item => ({ type: 'message', role, content });

function functionCall(item: Item): Item | undefined {
  const given = stringAt(item, 'arguments') ?? '';
  const readable = readableArguments(given);
  if (readable === given && item['namespace'] === undefined) return item;
  return called(item, namespacedToolName(item), readable);
}

/** Undefined if the server runs the call itself or gave it no id: Capstan does not answer such a call. */
function called(item: Item, name = 'unknown', given = '{}'): Item | undefined {
  const id = stringAt(item, 'call_id');
  if (id === undefined || item['execution'] === 'server') return undefined;
  return { type: 'function_call', name, arguments: given, call_id: id };
}

/** An event from outside answers no call: it goes into the user's turn. */
function answered(item: Item, output: Json | undefined): Item | undefined {
  if (item['execution'] === 'server') return undefined;
  const id = stringAt(item, 'call_id');
  const given = output ?? '';
  if (id !== undefined) return withKnownParts({ type: 'function_call_output', call_id: id, output: given }, 'output');
  const parts = Array.isArray(given) ? (given as readonly Json[]) : [{ type: 'input_text', text: given }];
  return withKnownParts(message('user', parts), 'content');
}

const knownParts: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'input_image', 'input_file']);

/** Turns unknown parts into text parts of this type. Returns the item itself if there are none. */
function withKnownParts(item: Item, key: 'content' | 'output', type = 'input_text'): Item {
  const parts = arrayAt(item, key);
  if (parts === undefined || parts.every((part) => isJsonObject(part) && knownParts.has(part['type']))) return item;
  return { ...item, [key]: parts.filter(isJsonObject).map((part) => knownPart(part, type)) };
}

function knownPart(part: JsonObject, type: string): JsonObject {
  if (knownParts.has(part['type'])) return part;
  const text = stringAt(part, 'text') ?? stringAt(part, 'refusal');
  return { type, text: text ?? '[Something stands here that the provider cannot take. It was left out.]' };
}
