import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type { ModelEvent, ModelFailure } from '../../../ports/model.ts';
import { asItem, type Item } from '../../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import { repairUsage, type Usage } from '../../../protocol/usage.ts';
import type { AnswerEventReader } from '../http/answer-decoder.ts';
import { answerTooLarge, unreadableAnswer } from '../http/failures/answer-failure.ts';
import { causeOfStopReason } from '../http/failures/failure-causes.ts';
import {
  endedEarlyMessage,
  failed,
  isOverflowCode,
  modelFailure,
  overflowFailure,
  saysOverflow,
  streamFailure,
} from '../http/failures/model-failure.ts';
import { parseServerItem } from './encode.ts';

/** Only these events are parsed; all others are dropped first. */
const eventType = {
  created: 'response.created',
  itemAdded: 'response.output_item.added',
  textDelta: 'response.output_text.delta',
  refusalDelta: 'response.refusal.delta',
  reasoningDelta: 'response.reasoning_summary_text.delta',
  itemDone: 'response.output_item.done',
  completed: 'response.completed',
  failed: 'response.failed',
  incomplete: 'response.incomplete',
  error: 'error',
} as const;

const wanted: ReadonlySet<string> = new Set(Object.values(eventType));
/** Known events that are not read. They count as activity of the server; events of other names do not. */
const unread =
  /^(?:keepalive|codex\.rate_limits|codex\.response\.metadata|responsesapi\.websocket_timing|response\.(?:queued|in_progress|metadata|output_text\.annotation\.added|(?:content|reasoning|reasoning_summary)_part\.(?:added|done)|(?:output_text|refusal|reasoning_text|reasoning_summary_text|function_call_arguments|custom_tool_call_input|mcp_call_arguments|code_interpreter_call_code|audio|audio\.transcript)\.(?:delta|done)|(?:web_search|file_search|image_generation|code_interpreter|mcp)_call\.\w+|mcp_list_tools\.\w+))$/;

export function responsesReader({ maxItems }: Pick<AnswerLimits, 'maxItems'>): AnswerEventReader {
  const added = addedItems();
  let responseId = '';
  /** Counts announced items, which are held here. Finished ones are counted where the answer is read. */
  let announced = 0;
  /** A bare `error` event does not end the stream, but explains the end that follows soon. */
  let reported: ModelFailure | undefined;
  /** An error was reported and nothing of the answer has come since. */
  let hasError = false;

  function decode(event: JsonObject): ModelEvent | undefined {
    const response = objectAt(event, 'response');
    const type = stringAt(event, 'type') ?? '';
    if (wanted.has(type)) hasError = type === eventType.error;
    switch (type) {
      case eventType.created:
        responseId = stringAt(response, 'id') ?? '';
        return responseId === '' ? undefined : { kind: 'created', responseId };
      case eventType.itemAdded: {
        const item = asItem(event['item']);
        if (++announced > maxItems) return failed(answerTooLarge(`${maxItems} items`));
        if (item !== undefined) added.remember(item, numberAt(event, 'output_index'));
        return undefined;
      }
      case eventType.textDelta:
      case eventType.refusalDelta: {
        const delta = stringAt(event, 'delta');
        if (delta === undefined) return undefined;
        return { kind: 'text-delta', itemId: stringAt(event, 'item_id') ?? added.open('message') ?? '', delta };
      }
      case eventType.reasoningDelta: {
        const delta = stringAt(event, 'delta');
        const itemId = stringAt(event, 'item_id') ?? added.open('reasoning');
        // Without an id, no item could replace the preview.
        if (delta === undefined || itemId === undefined) return undefined;
        return { kind: 'reasoning-delta', itemId, part: numberAt(event, 'summary_index') ?? 0, delta };
      }
      case eventType.itemDone: {
        const item = parseServerItem(event['item']);
        if (item === undefined) return failed(unreadableAnswer('item'));
        return { kind: 'item', item: withId(item, added.take(item, numberAt(event, 'output_index'))) };
      }
      case eventType.completed: {
        const endTurn = response?.['end_turn'];
        const usage = usageOf(response);
        const id = stringAt(response, 'id') ?? responseId;
        return {
          kind: 'completed',
          responseId: id,
          usage,
          endTurn: typeof endTurn === 'boolean' ? endTurn : undefined,
        };
      }
      case eventType.failed:
        return failed(streamFailure(errorOf(response ?? event)), usageOf(response));
      case eventType.incomplete:
        return failed(incompleteFailure(response ?? {}), usageOf(response));
      case eventType.error:
        reported = streamFailure(errorOf(event) ?? event);
        return undefined;
      default:
        return undefined;
    }
  }

  return {
    event(data) {
      const type = peekType(data);
      if (type !== undefined && !wanted.has(type)) return unread.test(type) ? nothing : undefined;
      const event = parseJsonObject(data.toString('utf8'));
      const said = event === undefined ? lost(type) : decode(event);
      if (said !== undefined) return [said];
      const name = type ?? stringAt(event, 'type') ?? '';
      return event !== undefined && (wanted.has(name) || unread.test(name)) ? nothing : undefined;
    },
    end: () => (reported === undefined ? nothing : [failed(reported)]),
    get hasError() {
      return hasError;
    },
  };
}

const nothing: readonly ModelEvent[] = [];
const typeOpening = Buffer.from('{"type":"');
const quote = 0x22;

/** The event type without parsing, if it is the first key; otherwise undefined. */
function peekType(data: Buffer): string | undefined {
  const from = typeOpening.length;
  if (data.length <= from || data.compare(typeOpening, 0, from, 0, from) !== 0) return undefined;
  const end = data.indexOf(quote, from);
  if (end === -1) return undefined;
  const type = data.toString('latin1', from, end);
  return type.includes('\\') ? undefined : type;
}

/** Broken events are skipped, except an item, whose call would be lost, and the end, for which the caller waits. */
function lost(type: string | undefined): ModelEvent | undefined {
  if (type === eventType.itemDone) return failed(unreadableAnswer('item'));
  const ends: readonly unknown[] = [eventType.completed, eventType.failed, eventType.incomplete];
  return ends.includes(type) ? failed(unreadableAnswer('end')) : undefined;
}

const errorOf = (holder: JsonObject): JsonObject | undefined => objectAt(holder, 'error');
const usageOf = (response: JsonObject | undefined) => usageFromWire(objectAt(response, 'usage'));

function withId(item: Item, addedId: string | undefined): Item {
  const own = item['id'];
  if (addedId === undefined || (typeof own === 'string' && own !== '')) return item;
  const { type, id: _none, ...rest } = item;
  return { type, id: addedId, ...rest };
}

/** The server ended the response early on purpose; the same request would end the same way. */
function incompleteFailure(response: JsonObject): ModelFailure {
  const reason = stringAt(objectAt(response, 'incomplete_details'), 'reason') ?? 'unknown';
  const error = errorOf(response);
  const message = stringAt(error, 'message') ?? '';
  if ([reason, stringAt(error, 'code') ?? ''].some(isOverflowCode) || saysOverflow(message))
    return overflowFailure(message);
  return modelFailure({ cause: causeOfStopReason(reason) ?? 'ended-early', message: endedEarlyMessage(reason) });
}

function addedItems() {
  let open: { readonly id: string; readonly type: string; readonly outputIndex: number | undefined }[] = [];
  return {
    remember(item: Item, outputIndex: number | undefined): void {
      const id = item['id'];
      if (typeof id === 'string' && id !== '') open.push({ id, type: item.type, outputIndex });
    },
    take(item: Item, outputIndex: number | undefined): string | undefined {
      // By position if the server numbers items, else by order: items of one type finish in the order of their
      // announcement.
      const own = item['id'];
      const counted = (index: number | undefined): boolean => index !== undefined && outputIndex !== undefined;
      const found =
        open.find((entry) => entry.id === own) ??
        open.find((entry) => counted(entry.outputIndex) && entry.outputIndex === outputIndex) ??
        open.find((entry) => !counted(entry.outputIndex) && entry.type === item.type);
      open = open.filter((entry) => entry !== found);
      return found?.id;
    },
    open: (type: string): string | undefined => open.findLast((entry) => entry.type === type)?.id,
  };
}

/** Larger than any context window: a higher count is a server fault. */
export const largestTokenCount = 1_000_000_000;

/**
 * Token counts of a finished response; undefined if it has no meaningful ones. Tolerates what compatible servers omit
 * or get wrong: a finished answer is never lost over accounting. The total is summed from the parts, because some
 * servers leave it at zero.
 */
export function usageFromWire(wire: JsonObject | undefined): Usage | undefined {
  if (wire === undefined) return undefined;
  const details = { input: objectAt(wire, 'input_tokens_details'), output: objectAt(wire, 'output_tokens_details') };
  const reported = {
    input: wire['input_tokens'],
    cachedInput: details.input?.['cached_tokens'],
    cacheWriteInput: details.input?.['cache_write_tokens'],
    output: wire['output_tokens'],
    reasoningOutput: details.output?.['reasoning_tokens'],
    total: wire['total_tokens'],
  };
  const { input, output, total } = repairUsage(reported, largestTokenCount);
  // A request is never empty: a missing input is the total minus the output. An invalid count invalidates the total
  // made with it as well.
  const known = isLeftOut(reported.input) ? total - output : input;
  const answered = reported.output === undefined || reported.output === null ? total - known : reported.output;
  // A partial count is dropped: it would look exact, and a limit would count the other part as nothing.
  if (known === 0 || !isCount(answered)) return undefined;
  const usage = repairUsage({ ...reported, input: known, output: answered }, largestTokenCount);
  return { ...usage, total: usage.input + usage.output };
}

const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= largestTokenCount;
const isLeftOut = (count: unknown): boolean =>
  typeof count === 'number' ? Math.round(count) === 0 : count === undefined || count === null;
