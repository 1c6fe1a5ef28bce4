import { type JsonObject, stringAt } from '../protocol/json.ts';
import type { ItemDraft } from './script.ts';
import { answerOptions, draftTexts, withIds, scriptedCounts, splitIntoWords } from './wire-renderer.ts';
import type { RenderedStep, IdNumbering, StreamContext, WireRenderer } from './wire-renderer.ts';

/** Renders a script's items as deltas; an item that the format does not know is an error of the script. */
export const chatRenderer: WireRenderer = {
  endpoint: /\/chat\/completions(\?|$)/,
  events: chunksOf,
};

/** All chunks share an id, including the one with counts: clients treat another id as another answer. */
function chunksOf(step: RenderedStep, { ids, usage }: StreamContext): readonly Buffer[] {
  const { responseId: id = ids('chatcmpl'), deltas = false, model, usage: own } = answerOptions(step);
  const chunk = (delta: JsonObject, finish_reason: string | null = null): Buffer =>
    data({ id, object, model, choices: [{ index: 0, delta, finish_reason }], usage: null });
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...itemDeltas(step.items, ids, deltas ? splitIntoWords : (text) => [text]).map((delta) => chunk(delta)),
  ];
  if (step.kind === 'failed') return [...chunks, data({ error: { code: step.code, message: step.message } })];
  const finish = step.kind === 'answer' ? finishOf(step.items) : (reasons[step.reason] ?? step.reason);
  return [...chunks, chunk({}, finish), ...usageChunks(id, scriptedCounts(own, usage)), done];
}

const reasons: Readonly<Record<string, string>> = { max_output_tokens: 'length' };
const object = 'chat.completion.chunk';
const done = Buffer.from('data: [DONE]\n\n');
const data = (value: object): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

const finishOf = (items: readonly ItemDraft[]): string =>
  items.some(({ type }) => type.endsWith('_call')) ? 'tool_calls' : 'stop';

function itemDeltas(
  items: readonly ItemDraft[],
  ids: IdNumbering,
  pieces: (text: string) => readonly string[],
): readonly JsonObject[] {
  let calls = 0;
  return items.flatMap((draft): readonly JsonObject[] => {
    const item = withIds(draft, ids);
    switch (item.type) {
      case 'message':
        return draftTexts(item, 'content')
          .flatMap(pieces)
          .map((content) => ({ content }));
      case 'reasoning':
        return draftTexts(item, 'summary')
          .flatMap(pieces)
          .map((text) => ({ reasoning_content: text }));
      case 'function_call':
        return callDeltas(calls++, item, pieces(stringAt(item, 'arguments') ?? ''));
      case 'custom_tool_call':
        return callDeltas(calls++, item, pieces(JSON.stringify({ input: item['input'] ?? '' })));
      default:
        throw new Error(`Chat Completions has no form for an item of type ${item.type}.`);
    }
  });
}

function callDeltas(index: number, item: ItemDraft, pieces: readonly string[]): readonly JsonObject[] {
  const named = { name: item['name'] ?? '', arguments: '' };
  return [
    { tool_calls: [{ index, id: item['call_id'] ?? '', type: 'function', function: named }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

/** The chunk without choices that holds the counts; left out with `none`. */
function usageChunks(id: string, counts: ReturnType<typeof scriptedCounts>): readonly Buffer[] {
  if (counts === 'none') return [];
  if (counts === 'null') return [data({ id, object, choices: [], usage: null })];
  const { input, cachedInput, cacheWriteInput, output, reasoningOutput, total } = counts;
  const details = { cached_tokens: cachedInput, cache_write_tokens: cacheWriteInput || undefined };
  const wire = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: details,
    completion_tokens_details: { reasoning_tokens: reasoningOutput },
  };
  return [data({ id, object, choices: [], usage: wire })];
}
