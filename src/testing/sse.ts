import { defined } from '../protocol/defined.ts';
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { AnswerOptions, CompactedStep, ItemDraft, ScriptedUsage, StreamStep } from './script.ts';

/** Gives out `resp_1`, `msg_1`, `call_1`, … per server, so that two runs of a script give the same bytes. */
export type Numbering = (prefix: string) => string;

export function numbering(): Numbering {
  const counters = new Map<string, number>();
  return (prefix) => {
    const count = (counters.get(prefix) ?? 0) + 1;
    counters.set(prefix, count);
    return `${prefix}_${count}`;
  };
}

export interface StreamContext {
  readonly ids: Numbering;
  readonly usage: ScriptedUsage;
}

/** The events of a step, each as the bytes that go over the wire. */
export function eventsOf(step: StreamStep, context: StreamContext): readonly Buffer[] {
  switch (step.kind) {
    case 'answer': {
      const more = { ...wireCounts(step.usage, context.usage), ...defined({ end_turn: step.endTurn }) };
      return streamOf(step, context.ids, (id) => ({
        type: 'response.completed',
        response: { id, status: 'completed', ...more },
      }));
    }
    case 'malformed': {
      const events = eventsOf(step.of, context);
      // After the opening and before the last event: what follows must still arrive.
      return events.toSpliced(Math.floor(events.length / 2), 0, Buffer.from(`data: ${step.data}\n\n`));
    }
    case 'failed':
      return streamOf(step, context.ids, (id) => {
        const { event: type, code, message } = step;
        return type === 'error'
          ? { type, code, message }
          : { type, response: { id, status: 'failed', error: { code, message } } };
      });
    case 'incomplete':
      return streamOf(step, context.ids, (id) => ({
        type: 'response.incomplete',
        response: {
          id,
          status: 'incomplete',
          incomplete_details: { reason: step.reason },
          ...(step.usage === undefined ? {} : wireCounts(step.usage, context.usage)),
        },
      }));
  }
}

function streamOf(
  { items, responseId, deltas = false }: Pick<AnswerOptions, 'items' | 'responseId'> & { readonly deltas?: boolean },
  ids: Numbering,
  ending: (responseId: string) => JsonObject,
): readonly Buffer[] {
  const id = responseId ?? ids('resp');
  const events = [
    { type: 'response.created', response: { id, status: 'in_progress' } },
    ...items.flatMap((draft, index) => itemEvents(identified(draft, ids), index, deltas)),
    ending(id),
  ];
  return events.map((event) => Buffer.from(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`));
}

/** The body of a step that answers in one piece. */
export function compactedBody(step: CompactedStep, { ids, usage }: StreamContext): Buffer {
  const output = step.output.map((draft) => identified(draft, ids));
  return Buffer.from(JSON.stringify({ output, ...wireCounts(step.usage, usage) }));
}

const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  compaction: 'cmp',
};

function identified(draft: ItemDraft, ids: Numbering): ItemDraft {
  const { type, id, ...rest } = draft;
  const isCall = type === 'function_call' || type === 'custom_tool_call';
  return {
    type,
    id: id ?? ids(idPrefixes[type] ?? 'item'),
    ...rest,
    ...(isCall && rest['call_id'] === undefined ? { call_id: ids('call') } : {}),
  };
}

function itemEvents(item: ItemDraft, index: number, deltas: boolean): readonly JsonObject[] {
  return [
    { type: 'response.output_item.added', output_index: index, item: unfinished(item) },
    ...(deltas ? deltaEvents(item, index) : []),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

/** The item as it is announced: with the parts that are still to be written empty. */
function unfinished(item: ItemDraft): ItemDraft {
  const empty: Record<string, ItemDraft[string]> = {};
  for (const key of ['content', 'summary']) if (Array.isArray(item[key])) empty[key] = [];
  for (const key of ['arguments', 'input']) if (typeof item[key] === 'string') empty[key] = '';
  return { ...item, ...empty };
}

function deltaEvents(item: ItemDraft, index: number): readonly JsonObject[] {
  const place = { item_id: stringAt(item, 'id') ?? '', output_index: index };
  const deltas = (type: string, text: string, more: JsonObject): readonly JsonObject[] =>
    words(text).map((delta) => ({ type, ...place, ...more, delta }));
  return [
    ...texts(item, 'summary').flatMap((text, part) =>
      deltas('response.reasoning_summary_text.delta', text, { summary_index: part }),
    ),
    ...texts(item, 'content').flatMap((text, part) =>
      deltas('response.output_text.delta', text, { content_index: part }),
    ),
    ...deltas('response.function_call_arguments.delta', stringAt(item, 'arguments') ?? '', {}),
    ...deltas('response.custom_tool_call_input.delta', stringAt(item, 'input') ?? '', {}),
  ];
}

function texts(item: ItemDraft, key: string): readonly string[] {
  return (arrayAt(item, key) ?? []).map((part) => (isJsonObject(part) ? (stringAt(part, 'text') ?? '') : ''));
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** The step's own counts over those of the server; a word in either stands for all of them, the step's first. */
function wireCounts(own: ScriptedUsage | undefined, ofServer: ScriptedUsage): JsonObject {
  const given = own ?? ofServer;
  if (given === 'none') return {};
  if (given === 'null') return { usage: null };
  if (given === 'zero') return { usage: wireUsage({ input: 0, cachedInput: 0, output: 0, reasoningOutput: 0 }) };
  return { usage: wireUsage(typeof ofServer === 'string' ? given : { ...ofServer, ...given }) };
}

function wireUsage(given: Partial<Usage>): JsonObject {
  const { input = 100, cachedInput = 20, cacheWriteInput = 0, output = 10, reasoningOutput = 3 } = given;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: cacheWriteInput },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoningOutput },
    total_tokens: given.total ?? input + output,
  };
}
