import { cachePerObject } from '../../../base/objects.ts';
import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type {
  Encoder,
  OutputLimitField,
  ModelClient,
  ModelFailure,
  ModelRequest,
  ModelPrompt,
  RequestOptions,
  ToolSpec,
} from '../../../ports/model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { freeformTool } from '../fallback-item-forms.ts';
import type { AnswerEventReader } from '../http/answer-decoder.ts';
import { bearerHeader } from '../http/credentials-and-headers.ts';
import { httpClient, createProviderConnection, plainCapabilities, type WireFormat } from '../http/http-client.ts';
import { listEncoder } from '../http/json-list-encoder.ts';
import type { HttpClientOptions } from '../http/send-question.ts';
import { chatApiName, chatReader } from './decode.ts';
import { chatDialect, type ChatDialect, everyDialect } from './dialect.ts';
import { type ChatMessage, endWithUserMessage, messageMaker } from './messages.ts';

/** Length fields learned from refusals, by address and model, for this process. */
const learned = new Map<string, OutputLimitField>();
const keyOf = (baseUrl: string, model: string): string => `${baseUrl} ${model}`;
/** Matches servers that do not know a field, not those that find its value too large. */
const refusal =
  /unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed)|extra (?:inputs?|fields?)|\binstead\b/i;

/** If the server does not know the length field, makes the caller send the request once more with the other field. */
function afterLengthRefusal(
  failure: ModelFailure,
  { body, routing }: Pick<ModelRequest, 'body' | 'routing'>,
  baseUrl: string,
): ModelFailure {
  if (failure.status !== 400 && failure.status !== 422) return failure;
  const field = lengthFieldIn(body);
  if (field === undefined || routing === undefined || !refusal.test(failure.message)) return failure;
  if (!new RegExp(`\\b${field}\\b`).test(failure.message)) return failure;
  const key = keyOf(baseUrl, routing.model);
  if (learned.has(key)) return failure;
  learned.set(key, field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens');
  return { ...failure, retry: { otherwise: true } };
}

/** Options of the answer are in the last piece of a body. */
function lengthFieldIn(body: ModelRequest['body']): OutputLimitField | undefined {
  const end = Buffer.from(body.at(-1) ?? []).toString('utf8');
  return /"(max_tokens|max_completion_tokens)":\d/.exec(end)?.[1] as OutputLimitField | undefined;
}

function chatClient(options: HttpClientOptions): ModelClient {
  const { capabilities, baseUrl } = options.provider;
  const dialect = chatDialect(capabilities);
  const reader = (limits: AnswerLimits): AnswerEventReader => chatReader(limits, dialect);
  const wire = { api: chatApiName, endpoint: 'chat/completions', identify: bearerHeader, reader };
  const client = httpClient(createProviderConnection(options, wire));
  return {
    ...client,
    lengthField: (model) => learned.get(keyOf(baseUrl, model)),
    async *stream(request, signal) {
      for await (const event of client.stream(request, signal)) {
        if (event.kind !== 'failed') yield event;
        else yield { ...event, failure: afterLengthRefusal(event.failure, request, baseUrl) };
      }
    },
  };
}

export const chatFormat: WireFormat = {
  name: 'chat',
  encoder: (provider) => chatEncoder(chatDialect(provider.capabilities)),
  everyEncoder: () => everyDialect().map(chatEncoder),
  client: chatClient,
  capabilities: () => plainCapabilities,
};

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Most stable parts come first, options of the answer last. Caches by item identity: never mutate items. */
export function chatEncoder(dialect: ChatDialect): Encoder {
  const messagesOf = messageMaker(dialect);
  const listPieces = listEncoder<ChatMessage>({ stored: () => undefined, text: (message) => JSON.stringify(message) });
  let instructionsCache = { text: '', bytes: bytesOf('') };

  /** `areOffered`: false without tools. Such a request must have no tool-call settings, since servers refuse them. */
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
    body({ options, instructions, tools, input, writers }: ModelPrompt) {
      const { bytes, areOffered } = encodedTools(tools);
      const { system, messages: made } = messagesOf(input, writers);
      const messages = dialect.roles === 'alternating' ? endWithUserMessage(made) : made;
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
    // Encodes the item alone, so roles need not alternate. In a request it may share a message with its neighbours.
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
