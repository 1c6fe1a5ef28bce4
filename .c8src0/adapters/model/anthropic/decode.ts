import { defined } from '../../../base/objects.ts';
import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type { ModelEvent, ModelFailure } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import { repairUsage, type Usage } from '../../../protocol/usage.ts';
import type { AnswerEventReader } from '../http/answer-decoder.ts';
import { serverModelEvents } from '../http/answer-headers.ts';
import { answerTooLarge, unreadableAnswer } from '../http/failures/answer-failure.ts';
import { causeOfStopReason, causeOfErrorCode, type FailureCause } from '../http/failures/failure-causes.ts';
import {
  endedEarlyMessage,
  failed,
  modelFailure,
  overflowFailure,
  reportedErrorWords,
  saysOverflow,
} from '../http/failures/model-failure.ts';
import { largestTokenCount } from '../responses/decode.ts';
import { isBlankText, encodeOpaqueThinking } from './projection.ts';

const nothing: readonly ModelEvent[] = [];

/**
 * Reads the events of one answer. An unreadable event fails the answer, because a call with a missing piece must not
 * run. Thinking is held until the model's next item, since it cannot be sent back alone. A call is held until something
 * follows it, since an answer that is cut for length may end inside its last call.
 */
export function anthropicReader({ maxItems }: Pick<AnswerLimits, 'maxItems'>): AnswerEventReader {
  let messageId = '';
  let announced = 0;
  let stopReason: string | undefined;
  /** The last event was unreadable. If the stream ends there, it was cut. */
  let isBroken = false;
  const usage: (JsonObject | undefined)[] = [];
  const open = new Map<number, AnswerBlock>();
  let thoughts: Item[] = [];
  let calls: Item[] = [];

  function decode(event: JsonObject): readonly ModelEvent[] | undefined {
    const index = numberAt(event, 'index') ?? 0;
    const block = open.get(index);
    switch (event['type']) {
      case 'message_start': {
        const message = objectAt(event, 'message');
        messageId = stringAt(message, 'id') ?? '';
        usage.push(objectAt(message, 'usage'));
        const created = messageId === '' ? nothing : [{ kind: 'created', responseId: messageId } as const];
        return [...created, ...serverModelEvents(message?.['model'])];
      }
      case 'content_block_start': {
        if (++announced > maxItems) return [failed(answerTooLarge(`${maxItems} items`))];
        const begun = beginBlock(objectAt(event, 'content_block') ?? {}, { messageId, index });
        if (begun !== undefined) open.set(index, begun);
        return [...released(), ...(begun === undefined ? [] : preview(begun, begun.texts.join('')))];
      }
      case 'content_block_delta':
        return block === undefined ? nothing : preview(block, extendBlock(block, objectAt(event, 'delta') ?? {}));
      case 'content_block_stop':
        open.delete(index);
        return block === undefined ? nothing : finished(block);
      case 'message_delta':
        stopReason = stringAt(objectAt(event, 'delta'), 'stop_reason') ?? stopReason;
        usage.push(objectAt(event, 'usage'));
        return nothing;
      case 'message_stop':
        return completed();
      case 'error':
        return [failed(eventFailure(objectAt(event, 'error')), messagesUsage(usage))];
      case 'ping':
        return nothing;
      default:
        return undefined;
    }
  }

  function finished(block: AnswerBlock): readonly ModelEvent[] {
    const item = blockItem(block);
    if (item === 'unreadable') return [failed(unreadableAnswer('item'))];
    if (item === undefined) return nothing;
    if (block.kind === 'thinking' || block.kind === 'redacted') {
      thoughts.push(item);
      return nothing;
    }
    calls.push(...thoughts, item);
    thoughts = [];
    return block.kind === 'call' ? nothing : released();
  }

  function released(): readonly ModelEvent[] {
    const items = calls;
    calls = [];
    return items.map((item) => ({ kind: 'item', item }));
  }

  function completed(): readonly ModelEvent[] {
    const failure = stopFailure(stopReason ?? '');
    // The last call of a cut answer is incomplete.
    if (failure !== undefined) return [failed(failure, messagesUsage(usage))];
    const rest = [...released(), ...thoughts.map((item): ModelEvent => ({ kind: 'item', item }))];
    const endTurn = stopReason === 'pause_turn' ? false : undefined;
    return [...rest, { kind: 'completed', responseId: messageId, usage: messagesUsage(usage), endTurn }];
  }

  return {
    event(data) {
      const text = data.toString('utf8');
      // Some servers end every stream with the mark of another format.
      if (text === '[DONE]') return nothing;
      if (isBroken) return [failed(unreadableAnswer('event'))];
      const event = parseJsonObject(text);
      isBroken = event === undefined;
      return event === undefined ? undefined : decode(event);
    },
    // The answer is complete once the stop reason is known: some servers omit the last event.
    end: () => (stopReason === undefined || open.size > 0 ? nothing : completed()),
  };
}

function preview({ kind, itemId }: AnswerBlock, delta: string): readonly ModelEvent[] {
  if (delta === '') return nothing;
  if (kind === 'text') return [{ kind: 'text-delta', itemId: itemId ?? '', delta }];
  // No preview without an id: the finished item could not replace it.
  if (kind !== 'thinking' || itemId === undefined) return nothing;
  return [{ kind: 'reasoning-delta', itemId, part: 0, delta }];
}

interface AnswerBlock {
  readonly kind: BlockType['kind'];
  readonly itemId: string | undefined;
  readonly opening: JsonObject;
  readonly texts: string[];
  readonly signatures: string[];
}

interface BlockType {
  readonly kind: 'text' | 'thinking' | 'redacted' | 'call';
  readonly prefix: string;
  /** The member of the opening with the first text. */
  readonly textKey?: string;
}

const blockTypes: Readonly<Record<string, BlockType>> = {
  text: { kind: 'text', prefix: 'msg', textKey: 'text' },
  thinking: { kind: 'thinking', prefix: 'rs', textKey: 'thinking' },
  redacted_thinking: { kind: 'redacted', prefix: 'rs' },
  tool_use: { kind: 'call', prefix: 'fc' },
};

/** Undefined for blocks of provider-run tools and for unknown types. */
function beginBlock(opening: JsonObject, place: BlockPlace): AnswerBlock | undefined {
  const type = String(opening['type']);
  if (!Object.hasOwn(blockTypes, type)) return undefined;
  const { kind, prefix, textKey } = blockTypes[type]!;
  const texts = textKey === undefined ? [] : [stringAt(opening, textKey) ?? ''];
  return { kind, itemId: itemIdAt(prefix, place), opening, texts, signatures: [stringAt(opening, 'signature') ?? ''] };
}

function extendBlock({ kind, texts, signatures }: AnswerBlock, delta: JsonObject): string {
  const [ofKind, key] = deltaTypes[String(delta['type'])] ?? [];
  const text = key === undefined ? '' : (stringAt(delta, key) ?? '');
  if (ofKind === 'signature') signatures.push(text);
  if (ofKind !== kind) return '';
  texts.push(text);
  return text;
}

const deltaTypes: Readonly<Record<string, readonly [kind: string, key: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['call', 'partial_json'],
};

/** Undefined if the block is empty. A call without a name is unreadable: it cannot be answered. */
function blockItem({ kind, itemId, opening, texts, signatures }: AnswerBlock): Item | 'unreadable' | undefined {
  const id = defined({ id: itemId });
  const text = texts.join('');
  switch (kind) {
    case 'text':
      if (isBlankText(text)) return undefined;
      return { type: 'message', ...id, role: 'assistant', content: [{ type: 'output_text', text }] };
    case 'thinking': {
      const signature = signatures.join('');
      if (text === '' && signature === '') return undefined;
      const summary = text === '' ? [] : [{ type: 'summary_text', text }];
      // The provider does not accept thinking back without a signature.
      const stored = signature === '' ? undefined : encodeOpaqueThinking({ kind: 'signed', signature });
      return { type: 'reasoning', ...id, summary, ...defined({ encrypted_content: stored }) };
    }
    case 'redacted': {
      const data = stringAt(opening, 'data') ?? '';
      if (data === '') return undefined;
      return {
        type: 'reasoning',
        ...id,
        summary: [],
        encrypted_content: encodeOpaqueThinking({ kind: 'redacted', data }),
      };
    }
    case 'call': {
      const [callId = '', name = ''] = [stringAt(opening, 'id'), stringAt(opening, 'name')];
      if (callId === '' || name === '') return 'unreadable';
      // Some servers send the arguments whole.
      const given = isBlankText(text) ? JSON.stringify(objectAt(opening, 'input') ?? {}) : text;
      return { type: 'function_call', ...id, name, arguments: given, call_id: callId };
    }
  }
}

type BlockPlace = { readonly messageId: string; readonly index: number };

/** Undefined when the server does not name its messages: the thread then names the item. */
function itemIdAt(prefix: string, { messageId, index }: BlockPlace): string | undefined {
  const name = messageId.replace(/^msg_/, '').replaceAll(/[^a-zA-Z0-9-]/g, '-');
  return name === '' ? undefined : `${prefix}_${name.slice(0, 64)}-${index}`;
}

/** Error types that mean the same as an HTTP status. An unknown one counts as a server error, which may be temporary. */
const plain: Readonly<Record<string, FailureCause>> = {
  invalid_request_error: 'request',
  not_found_error: 'not-found',
  authentication_error: 'key',
  permission_error: 'forbidden',
};

export function eventFailure(error: JsonObject | undefined): ModelFailure {
  const [type, message] = [stringAt(error, 'type') ?? '', stringAt(error, 'message') ?? ''];
  if (type === 'request_too_large' || saysOverflow(message)) return overflowFailure(message);
  const cause = causeOfErrorCode(type)?.cause ?? (Object.hasOwn(plain, type) ? plain[type]! : 'server');
  return modelFailure({ cause, message: reportedErrorWords(type, message) });
}

export function stopFailure(reason: string): ModelFailure | undefined {
  if (reason === 'model_context_window_exceeded')
    return overflowFailure('The answer filled the context window of the model.');
  const cause = causeOfStopReason(reason);
  if (cause === 'policy') return modelFailure({ cause, message: 'The model refused to answer this request.' });
  if (cause !== 'answer-length') return undefined;
  const next = 'Ask for the answer in smaller parts, or raise max_output_tokens of the model in model_catalog_json.';
  return modelFailure({ cause, message: endedEarlyMessage('max_tokens'), next });
}

/** Counts come at the beginning and at the end. `input_tokens` excludes the cache. Undefined without counts. */
function messagesUsage(reported: readonly (JsonObject | undefined)[]): Usage | undefined {
  const count = (key: string): number => {
    const value = reported.map((part) => part?.[key]).findLast((each) => typeof each === 'number' && each >= 0);
    return typeof value === 'number' && value <= largestTokenCount ? value : 0;
  };
  const [cachedInput, cacheWriteInput] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')];
  const input = count('input_tokens') + cachedInput + cacheWriteInput;
  const output = count('output_tokens');
  // Without an input count, the usage is unknown: a request is never empty.
  return input === 0 ? undefined : repairUsage({ input, cachedInput, cacheWriteInput, output }, largestTokenCount);
}
