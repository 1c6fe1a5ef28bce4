import { type JsonObject, stringAt } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { ItemDraft, ScriptedUsage } from './script.ts';
import {
  answerOptions,
  draftTexts,
  encodeServerEvent,
  withIds,
  scriptedCounts,
  splitIntoWords,
} from './wire-renderer.ts';
import type { RenderedStep, StreamContext, WireRenderer } from './wire-renderer.ts';

function eventsOf(step: RenderedStep, { ids, usage }: StreamContext): readonly Buffer[] {
  const { responseId = ids('resp'), deltas = false } = answerOptions(step);
  return [
    { type: 'response.created', response: { id: responseId, status: 'in_progress' } },
    ...step.items.flatMap((draft, index) => itemEvents(withIds(draft, ids), index, deltas)),
    endingOf(step, responseId, usage),
  ].map(encodeServerEvent);
}

function endingOf(step: RenderedStep, id: string, usage: ScriptedUsage): JsonObject {
  switch (step.kind) {
    case 'answer': {
      const more = { ...wireCounts(step.usage, usage), end_turn: step.endTurn };
      return { type: 'response.completed', response: { id, status: 'completed', ...more } };
    }
    case 'failed': {
      const { event: type, code, message } = step;
      if (type === 'error') return { type, code, message };
      return { type, response: { id, status: 'failed', error: { code, message } } };
    }
    case 'incomplete': {
      const counts = step.usage === undefined ? {} : wireCounts(step.usage, usage);
      const response = { id, status: 'incomplete', incomplete_details: { reason: step.reason }, ...counts };
      return { type: 'response.incomplete', response };
    }
  }
}

function itemEvents(item: ItemDraft, index: number, deltas: boolean): readonly JsonObject[] {
  return [
    { type: 'response.output_item.added', output_index: index, item: unfinished(item) },
    ...(deltas ? deltaEvents(item, index) : []),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

/** The item as announced, with unwritten parts empty. */
function unfinished(item: ItemDraft): ItemDraft {
  const empty: Record<string, ItemDraft[string]> = {};
  for (const key of ['content', 'summary']) if (Array.isArray(item[key])) empty[key] = [];
  for (const key of ['arguments', 'input']) if (typeof item[key] === 'string') empty[key] = '';
  return { ...item, ...empty };
}

function deltaEvents(item: ItemDraft, index: number): readonly JsonObject[] {
  const place = { item_id: stringAt(item, 'id') ?? '', output_index: index };
  const deltas = (type: string, text: string, more: JsonObject): readonly JsonObject[] =>
    splitIntoWords(text).map((delta) => ({ type, ...place, ...more, delta }));
  /** Clients refuse a delta of an unannounced part. */
  const begun = (type: string, more: JsonObject, part: JsonObject): JsonObject => ({ type, ...place, ...more, part });
  return [
    ...draftTexts(item, 'summary').flatMap((text, part) => [
      begun('response.reasoning_summary_part.added', { summary_index: part }, { type: 'summary_text', text: '' }),
      ...deltas('response.reasoning_summary_text.delta', text, { summary_index: part }),
    ]),
    ...draftTexts(item, 'content').flatMap((text, part) => [
      begun('response.content_part.added', { content_index: part }, { type: 'output_text', text: '', annotations: [] }),
      ...deltas('response.output_text.delta', text, { content_index: part }),
    ]),
    ...deltas('response.function_call_arguments.delta', stringAt(item, 'arguments') ?? '', {}),
    ...deltas('response.custom_tool_call_input.delta', stringAt(item, 'input') ?? '', {}),
  ];
}

function wireCounts(own: ScriptedUsage | undefined, ofServer: ScriptedUsage): JsonObject {
  const counts = scriptedCounts(own, ofServer);
  if (counts === 'none') return {};
  return { usage: counts === 'null' ? null : wireUsage(counts) };
}

function wireUsage({ input, cachedInput, cacheWriteInput, output, reasoningOutput, total }: Usage): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: cacheWriteInput },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoningOutput },
    total_tokens: total,
  };
}

export const responsesRenderer: WireRenderer = {
  endpoint: /\/responses(\/compact)?(\?|$)/,
  events: eventsOf,
  whole(step, { ids, usage }) {
    const output = step.output.map((draft) => withIds(draft, ids));
    return Buffer.from(JSON.stringify({ output, ...wireCounts(step.usage, usage) }));
  },
};
