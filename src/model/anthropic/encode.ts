import type { Encoder, Prompt, RequestOptions, ToolSpec } from '../../ports/prompt.ts';
import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { cacheControl, messagesEncoder } from './encode-messages.ts';
import { isBlankText, projectForMessages, textBlock } from './projection.ts';
import { takesSchema, thinkingFields } from './thinking.ts';
import { wireTool } from './wire-tools.ts';

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
