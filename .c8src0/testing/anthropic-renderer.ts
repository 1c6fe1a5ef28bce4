import { decodeOpaqueThinking } from '../adapters/model/anthropic/projection.ts';
import { type JsonObject, parseJsonObject, stringAt } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import type { ItemDraft } from './script.ts';
import {
  answerOptions,
  draftTexts,
  encodeServerEvent,
  withIds,
  scriptedCounts,
  splitIntoWords,
} from './wire-renderer.ts';
import type { RenderedStep, IdNumbering, StreamContext, WireRenderer } from './wire-renderer.ts';

function eventsOf(step: RenderedStep, context: StreamContext): readonly Buffer[] {
  const { ids, model: asked = 'scripted' } = context;
  const { responseId: id = ids('msg'), deltas = false, model = asked } = answerOptions(step);
  const counts = scriptedCounts(step.kind === 'failed' ? undefined : step.usage, context.usage);
  const message = { id, type: 'message', role: 'assistant', model, content: [], ...inputCounts(counts) };
  const blocks = step.items.map((draft) => blockOf(draft, ids)).filter((block) => block !== undefined);
  return [
    { type: 'message_start', message },
    { type: 'ping' },
    ...blocks.flatMap((block, index) => blockEvents(block, index, deltas)),
    ...endingOf(step, counts),
  ].map(encodeServerEvent);
}

function endingOf(step: RenderedStep, counts: ReturnType<typeof scriptedCounts>): readonly JsonObject[] {
  if (step.kind === 'failed')
    return [{ type: 'error', error: { type: errorTypes[step.code] ?? step.code, message: step.message } }];
  const calls = step.items.some(({ type }) => type === 'function_call' || type === 'custom_tool_call');
  const ended = calls ? 'tool_use' : 'end_turn';
  const paused = step.kind === 'answer' && step.endTurn === false ? 'pause_turn' : ended;
  const reason = step.kind === 'incomplete' ? (stopReasons[step.reason] ?? step.reason) : paused;
  // Clients of the format expect usage in it.
  const usage = counts === 'none' ? {} : { usage: counts === 'null' ? null : { output_tokens: counts.output } };
  return [
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, ...usage },
    { type: 'message_stop' },
  ];
}

const errorTypes: Readonly<Record<string, string>> = {
  server_is_overloaded: 'overloaded_error',
  slow_down: 'overloaded_error',
  rate_limit_exceeded: 'rate_limit_error',
  insufficient_quota: 'billing_error',
  context_length_exceeded: 'invalid_request_error',
  invalid_prompt: 'invalid_request_error',
};

const stopReasons: Readonly<Record<string, string>> = {
  max_output_tokens: 'max_tokens',
  content_filter: 'refusal',
  context_length_exceeded: 'model_context_window_exceeded',
};

/** Like the format, excludes cache reads and writes from `input_tokens`. */
function inputCounts(counts: 'none' | 'null' | Usage): JsonObject {
  if (typeof counts === 'string') return counts === 'null' ? { usage: null } : {};
  const { input, cachedInput, cacheWriteInput } = counts;
  return {
    usage: {
      input_tokens: Math.max(0, input - cachedInput - cacheWriteInput),
      cache_read_input_tokens: cachedInput,
      cache_creation_input_tokens: cacheWriteInput,
      output_tokens: 1,
    },
  };
}

interface ScriptedBlock {
  readonly begin: JsonObject;
  readonly pieces: readonly { readonly type: string; readonly key: string; readonly text: string }[];
}

/** Undefined for an item that the format cannot express. */
function blockOf(draft: ItemDraft, ids: IdNumbering): ScriptedBlock | undefined {
  const item = withIds(draft, ids);
  switch (item.type) {
    case 'message': {
      const text = draftTexts(item, 'content').join('');
      return { begin: { type: 'text', text: '' }, pieces: [{ type: 'text_delta', key: 'text', text }] };
    }
    case 'reasoning':
      return thinkingOf(item);
    case 'function_call':
      return callOf(item, stringAt(item, 'arguments') ?? '');
    case 'custom_tool_call':
      return callOf(item, JSON.stringify({ input: stringAt(item, 'input') ?? '' }));
    default:
      return undefined;
  }
}

/** A script writes opaque content in another format's form, or as history keeps it. */
function thinkingOf(item: ItemDraft): ScriptedBlock {
  const given = stringAt(item, 'encrypted_content') ?? '';
  const stored = decodeOpaqueThinking(given);
  if (stored?.kind === 'redacted') return { begin: { type: 'redacted_thinking', data: stored.data }, pieces: [] };
  const signature = stored?.signature ?? given;
  const thinking = draftTexts(item, 'summary').join('');
  return {
    begin: { type: 'thinking', thinking: '', signature: '' },
    pieces: [
      { type: 'thinking_delta', key: 'thinking', text: thinking },
      { type: 'signature_delta', key: 'signature', text: signature },
    ],
  };
}

function callOf(item: ItemDraft, text: string): ScriptedBlock {
  const begin = { type: 'tool_use', id: item['call_id'], name: item['name'], input: {} };
  const isEmpty = Object.keys(parseJsonObject(text) ?? { broken: true }).length === 0;
  return { begin, pieces: isEmpty ? [] : [{ type: 'input_json_delta', key: 'partial_json', text }] };
}

function blockEvents({ begin, pieces }: ScriptedBlock, index: number, deltas: boolean): readonly JsonObject[] {
  const filled = pieces.flatMap(({ type, key, text }) =>
    (deltas && type !== 'signature_delta' ? splitIntoWords(text) : [text])
      .filter((piece) => piece !== '')
      .map((piece) => ({ type: 'content_block_delta', index, delta: { type, [key]: piece } })),
  );
  return [
    { type: 'content_block_start', index, content_block: begin },
    ...filled,
    { type: 'content_block_stop', index },
  ];
}

export const anthropicRenderer: WireRenderer = { endpoint: /\/messages(\?|$)/, events: eventsOf };
