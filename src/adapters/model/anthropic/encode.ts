import { defined } from '../../../base/objects.ts';
import type { Encoder, Prompt, RequestOptions, ToolSpec } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { cacheControl, messagesEncoder } from './messages.ts';
import { isBlankText, projectForMessages, textBlock, wireName } from './projection.ts';

/**
 * Grows when the bytes made of the same prompt change. The first revision had the length of the answer before the
 * messages; it may change from request to request, so it stands behind them now. Up to the second one, thinking was
 * switched off behind every call without a thought, and its budget followed the length of the answer. Up to the third,
 * of all that stands in the user's turn and is not the user's, agents' reports alone were sure to be in a tag.
 */
type EncoderRevision = 'anthropic/1' | 'anthropic/2' | 'anthropic/3' | 'anthropic/4';

/** For a model whose record does not say how much it may answer. */
const defaultMaxTokens = 32_000;

/**
 * Encodes prompts for the Messages API: tools, system and messages in the order in which the provider's cache reads
 * them, then what may change from request to request. The bytes up to the end of the messages extend those of the
 * request before but for the marks of the cache, of which there are at most four: after the tools, after the system
 * texts, and after the newest two turns of the user.
 */
export function anthropicEncoder(version: EncoderRevision = 'anthropic/4'): Encoder {
  const isMarked = version === 'anthropic/4';
  const encodeMessages = messagesEncoder(isMarked);
  const toolsCache = new WeakMap<readonly ToolSpec[], string>();

  function toolsText(tools: readonly ToolSpec[]): string {
    const known = toolsCache.get(tools);
    if (known !== undefined) return known;
    const offered = tools.flatMap((tool) => wireTool(tool) ?? []).map((tool) => JSON.stringify(tool));
    const text = offered.length === 0 ? '' : `,"tools":[${marked(offered).join(',')}]`;
    toolsCache.set(tools, text);
    return text;
  }

  return {
    version,
    body: ({ options, instructions, tools, ...written }: Prompt) => {
      const { system, pieces, ...unthought } = encodeMessages(written, schemaWords(options));
      const maxTokens = options.outputLimit ?? options.maxOutputTokens ?? defaultMaxTokens;
      const offered = toolsText(tools);
      const length = { max_tokens: maxTokens };
      const isFirst = version === 'anthropic/1';
      const isStable = version === 'anthropic/3' || isMarked;
      const isUnthought = isStable ? unthought.startsUnthought : unthought.callsUnthought;
      const opening = JSON.stringify({ model: options.model, ...(isFirst && length) }).slice(0, -1);
      const closing = JSON.stringify({
        stream: true,
        ...(isFirst ? {} : length),
        ...defined({
          tool_choice: offered === '' ? undefined : toolChoice(options),
          service_tier: serviceTier(options),
        }),
        ...answerFields(options, { maxTokens, isUnthought, budget: isStable ? 'level' : 'rest' }),
        ...defined({ stop_sequences: options.stop as string[] | undefined }),
      });
      return [
        Buffer.from(`${opening}${offered}${systemText([instructions, ...system])},"messages":[`, 'utf8'),
        ...pieces,
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

/** The last of them ends what the provider keeps. */
function marked(blocks: readonly string[]): readonly string[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? `${block.slice(0, -1)},${cacheControl}}` : block));
}

function toolChoice({ toolChoice: choice, parallelToolCalls }: RequestOptions): JsonObject {
  if (choice === 'none') return { type: 'none' };
  return { type: 'auto', ...defined({ disable_parallel_tool_use: parallelToolCalls ? undefined : true }) };
}

/** The format has tiers of its own and refuses others. */
function serviceTier({ serviceTier: tier }: RequestOptions): string | undefined {
  return tier === 'auto' || tier === 'standard_only' ? tier : undefined;
}

/** For a model that cannot be held to a schema. Part of no later request: it is about this answer. */
function schemaWords({ model, outputSchema }: RequestOptions): string | undefined {
  if (outputSchema === undefined || takesSchema(model)) return undefined;
  return `Answer with JSON alone, without a code fence. It must fit this JSON Schema:\n${JSON.stringify(outputSchema)}`;
}

function answerFields(options: RequestOptions, about: Parameters<typeof thinkingFields>[1]): JsonObject {
  const { thinking, effort } = thinkingFields(options, about);
  const schema = takesSchema(options.model) ? options.outputSchema : undefined;
  const format = schema && { type: 'json_schema', schema };
  const config = defined({ effort, format });
  return defined({
    // The format refuses any but its own while the model thinks.
    temperature: thinking === undefined ? options.temperature : undefined,
    thinking,
    output_config: Object.keys(config).length === 0 ? undefined : config,
  });
}

/** How a model is asked to think: not at all, with so many tokens, or as it sees fit. */
type ThinkingForm = 'none' | 'budget' | 'adaptive';

/**
 * By the beginning of their names, the narrower first. Claude models up to 4.5 take a number of tokens, later ones
 * refuse it; models of other makers behind this format know the number.
 */
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

/** Gateways put a maker before the name, and write the version with a point. */
function plainName(model: string): string {
  const name = model.toLowerCase().replaceAll('.', '-');
  return name.slice(Math.max(0, name.indexOf('claude-')));
}

/** For models that want a number. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 60_000,
};
const leastBudget = 1024;
/** What the answer itself keeps of the tokens. */
const answerTokens = 4096;

const efforts: Readonly<Record<string, string>> = { minimal: 'low' };
const noThinking: ReadonlySet<string> = new Set(['none', 'disabled']);

export interface ThinkingFields {
  readonly thinking?: JsonObject;
  /** Of `output_config`. */
  readonly effort?: string;
}

/** What the request says beside its options. */
interface AboutThinking {
  readonly maxTokens: number;
  /** The model goes on from calls without thinking, which one that has a number of tokens refuses. */
  readonly isUnthought: boolean;
  /**
   * Where the wanted number does not fit: `level`, the next lower one of the table, so that a limit that shortens each
   * answer does not change the number with each request; `rest`, what the answer leaves.
   */
  readonly budget: 'level' | 'rest';
}

function thinkingFields(
  { model, effort, summary }: Pick<RequestOptions, 'model' | 'effort' | 'summary'>,
  { maxTokens, isUnthought, budget: way }: AboutThinking,
): ThinkingFields {
  const form = thinkingForm(model);
  if (effort === undefined || form === 'none' || noThinking.has(effort)) return {};
  if (form === 'adaptive') {
    const display = summary === undefined ? undefined : 'summarized';
    return { thinking: { type: 'adaptive', ...defined({ display }) }, effort: efforts[effort] ?? effort };
  }
  const wanted = Object.hasOwn(budgets, effort) ? budgets[effort]! : budgets['medium']!;
  const most = Math.min(wanted, maxTokens - answerTokens);
  const budget = way === 'rest' ? most : Math.max(0, ...Object.values(budgets).filter((level) => level <= most));
  if (isUnthought || budget < leastBudget) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** Whether the model holds its answer to a schema by itself: Claude models do from 4.5 on. */
function takesSchema(model: string): boolean {
  return thinkingForm(model) === 'adaptive' || /^claude-(?:[a-z]+-)?4-5/.test(plainName(model));
}

/** A tool as the format offers it; undefined for one that a provider of another format would run itself. */
function wireTool(spec: ToolSpec): JsonObject | undefined {
  const [name, description] = [stringAt(spec, 'name'), stringAt(spec, 'description')];
  if (name === undefined) return undefined;
  const about = { name: wireName(name), ...defined({ description }) };
  if (spec.type === 'function') return { ...about, input_schema: objectSchema(objectAt(spec, 'parameters') ?? {}) };
  if (spec.type !== 'custom') return undefined;
  // Free text is what the grammar says: there is no other place for it.
  const grammar = stringAt(objectAt(spec, 'format'), 'definition');
  const input = { type: 'string', ...defined({ description: grammar && `Must follow this grammar:\n${grammar}` }) };
  return { ...about, input_schema: { type: 'object', properties: { input }, required: ['input'] } };
}

/** The format takes only objects, and no choice between schemas at the top. */
function objectSchema(schema: JsonObject): JsonObject {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = schema;
  return rest['type'] === 'object' ? rest : { ...rest, type: 'object' };
}
