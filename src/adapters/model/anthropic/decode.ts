import { defined } from '../../../base/objects.ts';
import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type { ModelEvent, ModelFailure } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import { repairUsage, type Usage } from '../../../protocol/usage.ts';
import type { AnswerReader } from '../http/answer-decoder.ts';
import { serverModel } from '../http/answer-headers.ts';
import { answerTooLarge, unreadableAnswer } from '../http/failures/answer-failure.ts';
import { causeOfEnding, causeOfSign, type FailureCause } from '../http/failures/failure-causes.ts';
import { detailOf, failed, modelFailure, overflowFailure, saysOverflow } from '../http/failures/model-failure.ts';
import { isBlankText, storeOpaque } from './projection.ts';

const nothing: readonly ModelEvent[] = [];

/**
 * Reads the events of one answer. An unreadable event fails the answer, because a call with a missing piece must not
 * run. Thinking is held until the model's next item, since it cannot be sent back alone. A call is held until something
 * follows it, since an answer that is cut for length may end inside its last call.
 */
export function anthropicReader({ maxItems }: Pick<AnswerLimits, 'maxItems'>): AnswerReader {
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
    switch (event['type']) {
      case 'message_start': {
        const message = objectAt(event, 'message');
        messageId = stringAt(message, 'id') ?? '';
        usage.push(objectAt(message, 'usage'));
        const created = messageId === '' ? nothing : [{ kind: 'created', responseId: messageId } as const];
        return [...created, ...serverModel(message?.['model'])];
      }
      case 'content_block_start': {
        if (++announced > maxItems) return [failed(answerTooLarge(`${maxItems} items`))];
        const block = beginBlock(objectAt(event, 'content_block') ?? {}, { messageId, index });
        if (block !== undefined) open.set(index, block);
        return [...released(), ...(block === undefined ? [] : preview(block, blockText(block)))];
      }
      case 'content_block_delta': {
        const block = open.get(index);
        return block === undefined ? nothing : preview(block, extendBlock(block, objectAt(event, 'delta') ?? {}));
      }
      case 'content_block_stop': {
        const block = open.get(index);
        open.delete(index);
        return block === undefined ? nothing : finished(block);
      }
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

const blockText = (block: AnswerBlock): string =>
  block.kind === 'text' || block.kind === 'thinking' ? block.texts.join('') : '';

function preview(block: AnswerBlock, delta: string): readonly ModelEvent[] {
  if (delta === '') return nothing;
  if (block.kind === 'text') return [{ kind: 'text-delta', itemId: block.itemId ?? '', delta }];
  // No preview without an id: the finished item could not replace it.
  if (block.kind !== 'thinking' || block.itemId === undefined) return nothing;
  return [{ kind: 'reasoning-delta', itemId: block.itemId, part: 0, delta }];
}

type AnswerBlock = { readonly itemId: string | undefined } & (
  | { readonly kind: 'text'; readonly texts: string[] }
  | { readonly kind: 'thinking'; readonly texts: string[]; readonly signatures: string[] }
  | { readonly kind: 'redacted'; readonly data: string }
  | {
      readonly kind: 'call';
      readonly callId: string;
      readonly name: string;
      readonly texts: string[];
      /** Arguments from a server that sends them whole. */
      readonly given: JsonObject;
    }
);

export type BlockPlace = { readonly messageId: string; readonly index: number };

/** Undefined for blocks of provider-run tools and for unknown types. */
function beginBlock(block: JsonObject, place: BlockPlace): AnswerBlock | undefined {
  switch (block['type']) {
    case 'text':
      return { kind: 'text', itemId: itemIdAt('msg', place), texts: [stringAt(block, 'text') ?? ''] };
    case 'thinking': {
      const [text, signature] = [stringAt(block, 'thinking') ?? '', stringAt(block, 'signature') ?? ''];
      return { kind: 'thinking', itemId: itemIdAt('rs', place), texts: [text], signatures: [signature] };
    }
    case 'redacted_thinking':
      return { kind: 'redacted', itemId: itemIdAt('rs', place), data: stringAt(block, 'data') ?? '' };
    case 'tool_use': {
      const [callId, name] = [stringAt(block, 'id') ?? '', stringAt(block, 'name') ?? ''];
      const given = objectAt(block, 'input') ?? {};
      return { kind: 'call', itemId: itemIdAt('fc', place), callId, name, texts: [], given };
    }
    default:
      return undefined;
  }
}

function extendBlock(block: AnswerBlock, delta: JsonObject): string {
  if (block.kind === 'redacted') return '';
  const [kind, key] = deltaTypes[String(delta['type'])] ?? [];
  const text = key === undefined ? '' : (stringAt(delta, key) ?? '');
  if (kind === 'signature' && block.kind === 'thinking') block.signatures.push(text);
  if (kind !== block.kind) return '';
  block.texts.push(text);
  return text;
}

const deltaTypes: Readonly<Record<string, readonly [kind: string, key: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['call', 'partial_json'],
};

/** Undefined if the block is empty. A call without a name is unreadable: it cannot be answered. */
function blockItem(block: AnswerBlock): Item | 'unreadable' | undefined {
  const id = defined({ id: block.itemId });
  switch (block.kind) {
    case 'text': {
      const text = block.texts.join('');
      if (isBlankText(text)) return undefined;
      return { type: 'message', ...id, role: 'assistant', content: [{ type: 'output_text', text }] };
    }
    case 'thinking': {
      const [text, signature] = [block.texts.join(''), block.signatures.join('')];
      if (text === '' && signature === '') return undefined;
      const summary = text === '' ? [] : [{ type: 'summary_text', text }];
      // The provider does not accept thinking back without a signature.
      const stored = signature === '' ? undefined : storeOpaque({ kind: 'signed', signature });
      return { type: 'reasoning', ...id, summary, ...defined({ encrypted_content: stored }) };
    }
    case 'redacted': {
      if (block.data === '') return undefined;
      const stored = storeOpaque({ kind: 'redacted', data: block.data });
      return { type: 'reasoning', ...id, summary: [], encrypted_content: stored };
    }
    case 'call': {
      const { callId, name, texts, given } = block;
      if (callId === '' || name === '') return 'unreadable';
      const written = texts.join('');
      const text = isBlankText(written) ? JSON.stringify(given) : written;
      return { type: 'function_call', ...id, name, arguments: text, call_id: callId };
    }
  }
}

/** Undefined when the server does not name its messages: the thread then names the item. */
function itemIdAt(prefix: string, { messageId, index }: BlockPlace): string | undefined {
  const name = messageId.replace(/^msg_/, '').replaceAll(/[^a-zA-Z0-9-]/g, '-');
  return name === '' ? undefined : `${prefix}_${name.slice(0, 64)}-${index}`;
}

/**
 * Error types that mean the same as an HTTP status. An unknown type counts as a server error, which may be temporary.
 */
const plain: Readonly<Record<string, FailureCause>> = {
  invalid_request_error: 'request',
  not_found_error: 'not-found',
  authentication_error: 'key',
  permission_error: 'forbidden',
};

export function eventFailure(error: JsonObject | undefined): ModelFailure {
  const [type, message] = [stringAt(error, 'type') ?? '', stringAt(error, 'message') ?? ''];
  if (type === 'request_too_large' || saysOverflow(message)) return overflowFailure(message);
  const cause = causeOfSign(type)?.cause ?? (Object.hasOwn(plain, type) ? plain[type]! : 'server');
  const words = detailOf(message);
  const name = type === '' ? 'an error' : `the error ${detailOf(type)}`;
  return modelFailure({ cause, message: `The provider reported ${name}${words === '' ? '.' : `: ${words}`}` });
}

export function stopFailure(reason: string): ModelFailure | undefined {
  if (reason === 'model_context_window_exceeded')
    return overflowFailure('The answer filled the context window of the model.');
  const cause = causeOfEnding(reason);
  if (cause === 'policy') return modelFailure({ cause, message: 'The model refused to answer this request.' });
  if (cause !== 'answer-length') return undefined;
  return modelFailure({
    cause,
    message: 'The provider ended the answer before it was complete. Reason: max_tokens.',
    next: 'Ask for the answer in smaller parts, or raise max_output_tokens of the model in model_catalog_json.',
  });
}

/** Larger than any context window: a higher count is a server fault. */
const mostTokens = 1_000_000_000;

/** Counts come at the beginning and at the end. `input_tokens` excludes the cache. Undefined without counts. */
function messagesUsage(reported: readonly (JsonObject | undefined)[]): Usage | undefined {
  const count = (key: string): number => {
    const value = reported.map((part) => part?.[key]).findLast((each) => typeof each === 'number' && each >= 0);
    return typeof value === 'number' && value <= mostTokens ? value : 0;
  };
  const [cachedInput, cacheWriteInput] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')];
  const input = count('input_tokens') + cachedInput + cacheWriteInput;
  const output = count('output_tokens');
  // Without an input count, the usage is unknown: a request is never empty.
  return input === 0 ? undefined : repairUsage({ input, cachedInput, cacheWriteInput, output }, mostTokens);
}
