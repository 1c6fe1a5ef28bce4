import { defined } from '../base/objects.ts';
import { type JsonObject, stringAt } from '../protocol/json.ts';
import type { AnswerOptions, ItemDraft, ScriptedUsage, StreamStep } from './script.ts';
import {
  draftTexts,
  withIds,
  type Numbering,
  scriptedCounts,
  streamedWords,
  type StreamContext,
  type WireRenderer,
} from './wire-renderer.ts';

/** Renders a script's items as deltas; an item that the format does not know is an error of the script. */
export const chatRenderer: WireRenderer = {
  endpoint: /\/chat\/completions(\?|$)/,
  events: chunksOf,
};

function chunksOf(step: StreamStep, context: StreamContext): readonly Buffer[] {
  switch (step.kind) {
    case 'answer':
      return wholeAnswer(step, context, { finish: finishOf(step.items), usage: step.usage });
    case 'malformed': {
      const events = chunksOf(step.of, context);
      return events.toSpliced(Math.floor(events.length / 2), 0, Buffer.from(`data: ${step.data}\n\n`));
    }
    case 'failed': {
      const { code, message } = step;
      return [...answerChunks(context.ids('chatcmpl'), step, context, undefined), data({ error: { code, message } })];
    }
    case 'incomplete':
      return wholeAnswer(step, context, { finish: reasons[step.reason] ?? step.reason, usage: undefined });
  }
}

type Drafts = Pick<AnswerOptions, 'items' | 'responseId' | 'model'> & { readonly deltas?: boolean };

/** All chunks share an id, including the one with counts: clients treat another id as another answer. */
function wholeAnswer(
  step: Drafts,
  context: StreamContext,
  { finish, usage }: { readonly finish: string; readonly usage: ScriptedUsage | undefined },
): readonly Buffer[] {
  const id = step.responseId ?? context.ids('chatcmpl');
  return [...answerChunks(id, step, context, finish), ...usageChunks(id, usage, context), done];
}

const reasons: Readonly<Record<string, string>> = { max_output_tokens: 'length' };
const object = 'chat.completion.chunk';
const done = Buffer.from('data: [DONE]\n\n');
const data = (value: JsonObject): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

const finishOf = (items: readonly ItemDraft[]): string =>
  items.some(({ type }) => type.endsWith('_call')) ? 'tool_calls' : 'stop';

function answerChunks(
  id: string,
  { items, deltas = false, model }: Drafts,
  { ids }: StreamContext,
  finish: string | undefined,
): readonly Buffer[] {
  const chunk = (delta: JsonObject, finish_reason: string | null = null): Buffer =>
    data({ id, object, ...defined({ model }), choices: [{ index: 0, delta, finish_reason }], usage: null });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...itemDeltas(items, ids, deltas ? streamedWords : (text) => [text]).map((delta) => chunk(delta)),
    ...(finish === undefined ? [] : [chunk({}, finish)]),
  ];
}

function itemDeltas(
  items: readonly ItemDraft[],
  ids: Numbering,
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
function usageChunks(id: string, own: ScriptedUsage | undefined, { usage }: StreamContext): readonly Buffer[] {
  const counts = scriptedCounts(own, usage);
  if (counts === 'none') return [];
  if (counts === 'null') return [data({ id, object, choices: [], usage: null })];
  const { input, cachedInput, cacheWriteInput, output, reasoningOutput, total } = counts;
  const details = defined({ cache_write_tokens: cacheWriteInput === 0 ? undefined : cacheWriteInput });
  const wire = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cachedInput, ...details },
    completion_tokens_details: { reasoning_tokens: reasoningOutput },
  };
  return [data({ id, object, choices: [], usage: wire })];
}
