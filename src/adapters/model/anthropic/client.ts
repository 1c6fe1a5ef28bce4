import { cachePerObject } from '../../../base/objects.ts';
import type { Encoder, ModelClient, ModelPrompt, RequestOptions, ToolSpec } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import type { Credentials } from '../http/credentials-and-headers.ts';
import { type WireFormat, createProviderConnection, httpClient, plainCapabilities } from '../http/http-client.ts';
import { createIncrementalBuilder } from '../http/json-list-encoder.ts';
import type { HttpClientOptions } from '../http/send-question.ts';
import { anthropicReader } from './decode.ts';
import { AnthropicMessages, cacheControl } from './messages.ts';
import { isBlankText, projectForMessages, textBlock, wireName } from './projection.ts';

/** Headers with the API revision used here and the key. */
export function apiKeyHeaders(credentials: Credentials): Readonly<Record<string, string>> {
  const revision = { 'anthropic-version': '2023-06-01' };
  return credentials.kind === 'bearer' ? { ...revision, 'x-api-key': credentials.token } : revision;
}

/** Accepts base URLs with and without the API version. */
export const messagesEndpoint = (baseUrl: string): string =>
  /\/v\d+[a-z0-9]*\/*$/i.test(baseUrl.split(/[?#]/)[0]!) ? 'messages' : 'v1/messages';

export function anthropicClient(options: HttpClientOptions): ModelClient {
  const endpoint = messagesEndpoint(options.provider.baseUrl);
  const wire = { api: 'Messages API', endpoint, identify: apiKeyHeaders, reader: anthropicReader };
  return httpClient(createProviderConnection(options, wire));
}

export const anthropicFormat: WireFormat = {
  name: 'anthropic',
  encoder: () => anthropicEncoder(),
  everyEncoder: () => (['anthropic/1', 'anthropic/2', 'anthropic/3', 'anthropic/4'] as const).map(anthropicEncoder),
  client: anthropicClient,
  capabilities: () => plainCapabilities,
};

/**
 * Changes whenever the same prompt is encoded to other bytes. 1 put the answer length before the messages. 1 and 2
 * turned thinking off after every call without a thought, and let its budget follow the answer length. 1 to 3 always
 * tagged only agents' reports among the texts in user turns that are not the user's.
 */
type EncoderRevision = 'anthropic/1' | 'anthropic/2' | 'anthropic/3' | 'anthropic/4';
const defaultMaxTokens = 32_000;
/**
 * Encodes prompts for the Messages API in the order of the provider's cache: tools, system, messages, then what may
 * change between requests. Up to the end of the messages, the bytes extend those of the previous request except for
 * cache marks. There are at most four marks: after the tools, after the system texts, and after the newest two user
 * turns.
 */
export function anthropicEncoder(version: EncoderRevision = 'anthropic/4'): Encoder {
  const isMarked = version === 'anthropic/4';
  const messagesOf = createIncrementalBuilder(() => new AnthropicMessages(isMarked));
  const toolsText = cachePerObject((tools: readonly ToolSpec[]): string => {
    const offered = tools.flatMap((tool) => wireTool(tool) ?? []).map((tool) => JSON.stringify(tool));
    return offered.length === 0 ? '' : `,"tools":[${marked(offered).join(',')}]`;
  });

  return {
    version,
    body: ({ options, instructions, tools, ...written }: ModelPrompt) => {
      const messages = messagesOf(written);
      const maxTokens = options.outputLimit ?? options.maxOutputTokens ?? defaultMaxTokens;
      const offered = toolsText(tools);
      const length = { max_tokens: maxTokens };
      const isFirst = version === 'anthropic/1';
      const isStable = version === 'anthropic/3' || isMarked;
      const isUnthought = isStable ? messages.startsUnthought : messages.callsUnthought;
      const opening = JSON.stringify({ model: options.model, ...(isFirst && length) }).slice(0, -1);
      const closing = JSON.stringify({
        stream: true,
        ...(isFirst ? {} : length),
        tool_choice: offered === '' ? undefined : toolChoice(options),
        // The format has its own tiers and refuses others.
        service_tier: ['auto', 'standard_only'].find((tier) => tier === options.serviceTier),
        ...answerFields(options, { maxTokens, isUnthought, budget: isStable ? 'level' : 'rest' }),
        stop_sequences: options.stop,
      });
      return [
        Buffer.from(`${opening}${offered}${systemText([instructions, ...messages.system])},"messages":[`, 'utf8'),
        ...messages.pieces(schemaWords(options)),
        Buffer.from(`],${closing.slice(1)}`, 'utf8'),
      ];
    },
    item: (item: Item) => Buffer.from(JSON.stringify(projectForMessages(item, { isMarked })), 'utf8'),
  };
}

function systemText(texts: readonly string[]): string {
  const blocks = texts.filter((text) => !isBlankText(text)).map(textBlock);
  return blocks.length === 0 ? '' : `,"system":[${marked(blocks).join(',')}]`;
}

const marked = (blocks: readonly string[]): readonly string[] =>
  blocks.map((block, index) => (index === blocks.length - 1 ? `${block.slice(0, -1)},${cacheControl}}` : block));

function toolChoice({ toolChoice: choice, parallelToolCalls }: RequestOptions): JsonObject {
  if (choice === 'none') return { type: 'none' };
  return { type: 'auto', disable_parallel_tool_use: parallelToolCalls ? undefined : true };
}

/** Asks a model in words for a schema that it cannot be held to. Later requests omit this: it is for one answer. */
function schemaWords({ model, outputSchema }: RequestOptions): string | undefined {
  if (outputSchema === undefined || takesSchema(model)) return undefined;
  return `Answer with JSON alone, without a code fence. It must fit this JSON Schema:\n${JSON.stringify(outputSchema)}`;
}

function answerFields(options: RequestOptions, about: Parameters<typeof thinkingFields>[1]): JsonObject {
  const { thinking, effort } = thinkingFields(options, about);
  const schema = takesSchema(options.model) ? options.outputSchema : undefined;
  const format = schema && { type: 'json_schema', schema };
  return {
    // The format refuses any temperature but its default while the model thinks.
    temperature: thinking === undefined ? options.temperature : undefined,
    thinking,
    output_config: effort === undefined && format === undefined ? undefined : { effort, format },
  };
}

type ThinkingForm = 'none' | 'budget' | 'adaptive';

/** By name prefix, narrower first. Claude 3.7 to 4.5 takes a budget, later models refuse it; other makers know it. */
const forms: readonly (readonly [pattern: RegExp, form: ThinkingForm])[] = [
  [/^claude-3-7/, 'budget'],
  [/^claude-(?:2|3|instant)/, 'none'],
  [/^claude-(?:[a-z]+-)?4(?:-[0135])?(?:$|-\d{8}|-latest|-v\d|-[a-z]+$|@)/, 'budget'],
  [/^claude-/, 'adaptive'],
];

function thinkingForm(model: string): ThinkingForm {
  const name = plainName(model);
  return forms.find(([pattern]) => pattern.test(name))?.[1] ?? 'budget';
}

/** Gateways put a maker before the name and write the version with a dot. */
function plainName(model: string): string {
  const name = model.toLowerCase().replaceAll('.', '-');
  return name.slice(Math.max(0, name.indexOf('claude-')));
}

const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 60_000,
};
const leastBudget = 1024;
/** Tokens reserved for the answer itself. */
const answerTokens = 4096;

interface AboutThinking {
  readonly maxTokens: number;
  /** The model continues from calls before which it did not think. With a token budget, the provider refuses that. */
  readonly isUnthought: boolean;
  /** If the wanted budget does not fit, takes the next lower `level`, which seldom changes, or all the `rest`. */
  readonly budget: 'level' | 'rest';
}

function thinkingFields(
  { model, effort, summary }: Pick<RequestOptions, 'model' | 'effort' | 'summary'>,
  { maxTokens, isUnthought, budget: way }: AboutThinking,
): { readonly thinking?: JsonObject; readonly effort?: string } {
  const form = thinkingForm(model);
  if (effort === undefined || form === 'none' || effort === 'none' || effort === 'disabled') return {};
  if (form === 'adaptive') {
    const display = summary === undefined ? undefined : 'summarized';
    return { thinking: { type: 'adaptive', display }, effort: effort === 'minimal' ? 'low' : effort };
  }
  const wanted = Object.hasOwn(budgets, effort) ? budgets[effort]! : budgets['medium']!;
  const most = Math.min(wanted, maxTokens - answerTokens);
  const budget = way === 'rest' ? most : Math.max(0, ...Object.values(budgets).filter((level) => level <= most));
  return isUnthought || budget < leastBudget ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** Claude models from 4.5 on hold their answer to a schema by themselves. */
const takesSchema = (model: string): boolean =>
  thinkingForm(model) === 'adaptive' || /^claude-(?:[a-z]+-)?4-5/.test(plainName(model));

/** Undefined for a tool that a provider of another format would run itself. */
function wireTool(spec: ToolSpec): JsonObject | undefined {
  const [name, description] = [stringAt(spec, 'name'), stringAt(spec, 'description')];
  if (name === undefined) return undefined;
  const about = { name: wireName(name), description };
  if (spec.type === 'function') return { ...about, input_schema: objectSchema(objectAt(spec, 'parameters') ?? {}) };
  if (spec.type !== 'custom') return undefined;
  // The description shows the grammar: the format has no other place for it.
  const grammar = stringAt(objectAt(spec, 'format'), 'definition');
  const input = { type: 'string', description: grammar && `Must follow this grammar:\n${grammar}` };
  return { ...about, input_schema: { type: 'object', properties: { input }, required: ['input'] } };
}

/** The format accepts only objects, without a choice between schemas at the top level. */
function objectSchema(schema: JsonObject): JsonObject {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = schema;
  return rest['type'] === 'object' ? rest : { ...rest, type: 'object' };
}
