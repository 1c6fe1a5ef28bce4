import { cachePerObject } from '../../../base/objects.ts';
import type { Encoder, Prompt, RequestOptions, ToolSpec } from '../../../ports/model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { freeformTool } from '../fallback-item-forms.ts';
import { listEncoder } from '../http/list-encoder.ts';
import type { ChatDialect } from './dialect.ts';
import { endedInTurn, messageMaker } from './messages.ts';
import type { ChatMessage } from './projection.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Most stable parts come first, options of the answer last. Caches by item identity: never mutate items. */
export function chatEncoder(dialect: ChatDialect): Encoder {
  const messagesOf = messageMaker(dialect);
  const listPieces = listEncoder<ChatMessage>({ stored: () => undefined, text: (message) => JSON.stringify(message) });
  let instructionsCache = { text: '', bytes: bytesOf('') };

  /** `areOffered`: servers refuse tool-call settings in a request without tools. */
  const encodedTools = cachePerObject((tools: readonly ToolSpec[]) => {
    const offered = chatTools(tools);
    const list = offered.length === 0 ? '' : `,"tools":${JSON.stringify(offered)}`;
    return { bytes: bytesOf(`${list},"messages":[`), areOffered: offered.length > 0 };
  });

  function instructionsBytes(text: string): Uint8Array {
    if (text !== instructionsCache.text)
      instructionsCache = { text, bytes: bytesOf(JSON.stringify(headMessage(text))) };
    return instructionsCache.bytes;
  }

  const headMessage = (content: string): ChatMessage => ({
    role: dialect.developer === 'developer' ? 'developer' : 'system',
    content,
  });

  return {
    version: dialect.version,
    body({ options, instructions, tools, input, writers }: Prompt) {
      const { bytes, areOffered } = encodedTools(tools);
      const { system, messages: made } = messagesOf(input, writers);
      const messages = dialect.roles === 'alternating' ? endedInTurn(made) : made;
      const words = [instructions, ...system].filter((text) => text !== '').join('\n\n');
      const head = words === '' ? [] : [instructionsBytes(words)];
      return [
        bytesOf(opening(options, dialect, areOffered)),
        bytes,
        ...head,
        ...(head.length > 0 && messages.length > 0 ? [comma] : []),
        ...listPieces(messages),
        bytesOf(closing(options, dialect, areOffered)),
      ];
    },
    // Encoded alone: in a request it may share a message with its neighbours and need none to alternate with.
    item: (item) => {
      const { system, messages } = messageMaker({ ...dialect, roles: 'any-order' })([item]);
      return bytesOf(JSON.stringify([...system.map(headMessage), ...messages]));
    },
  };
}

const comma = bytesOf(',');

/** Everything before tools and messages. `JSON.stringify` skips undefined options. */
function opening(options: RequestOptions, { fields }: ChatDialect, areOffered: boolean): string {
  const known = fields === 'openai';
  return JSON.stringify({
    model: options.model,
    parallel_tool_calls: areOffered ? options.parallelToolCalls : undefined,
    reasoning_effort: options.effort,
    service_tier: known ? options.serviceTier : undefined,
    prompt_cache_key: known ? options.cacheKey : undefined,
  }).slice(0, -1);
}

function closing(options: RequestOptions, dialect: ChatDialect, areOffered: boolean): string {
  const { fields, usage, maxTokens } = dialect;
  const schema = dialect.schema === 'sent' ? options.outputSchema : undefined;
  const members = JSON.stringify({
    stream: true,
    stream_options: usage === 'asked' ? { include_usage: true } : undefined,
    // A user-set limit must also reach unknown servers: nearly all know the older field.
    [options.lengthField ?? (maxTokens === 'none' ? 'max_tokens' : maxTokens)]:
      options.outputLimit ?? (maxTokens === 'none' ? undefined : options.maxOutputTokens),
    temperature: options.temperature,
    stop: options.stop,
    tool_choice: areOffered ? (options.toolChoice ?? 'auto') : undefined,
    response_format: schema && {
      type: 'json_schema',
      json_schema: { name: 'codex_output_schema', schema, strict: true },
    },
    verbosity: fields === 'openai' ? options.verbosity : undefined,
  }).slice(1);
  return `],${members}`;
}

/** Every tool is offered as a function. Tools that a provider runs itself are left out. */
const chatTools = (tools: readonly ToolSpec[]): readonly JsonObject[] =>
  tools.flatMap((tool) => {
    if (tool.type === 'function') return [functionTool(tool, tool)];
    return tool.type === 'custom' ? [functionTool(tool, freeformTool(tool))] : [];
  });

const functionTool = ({ name }: ToolSpec, { description, parameters, strict }: JsonObject): JsonObject => ({
  type: 'function',
  function: {
    name: name ?? '',
    description: typeof description === 'string' ? description : undefined,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict === true ? strict : undefined,
  },
});
