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
import { detailOf, modelFailure, overflowFailure, saysOverflow } from '../http/failures/model-failure.ts';
import { isBlankText, storeOpaque } from './projection.ts';

const nothing: readonly ModelEvent[] = [];

/**
 * Reads the events of one answer. Items are made of pieces, so an event that cannot be read fails the answer: a call
 * that lacks a piece must not run. Two kinds of items wait. Thinking waits for what the model says or does next, because
 * thinking without it cannot be sent back. A call waits until something follows it, because an answer that stops for
 * its length may have cut the last call short.
 */
export function anthropicReader({ maxItems }: Pick<AnswerLimits, 'maxItems'>): AnswerReader {
  let messageId = '';
  let announced = 0;
  let stopReason: string | undefined;
  /** The newest event could not be read. If the stream ends there, it was cut. */
  let isBroken = false;
  const usage: (JsonObject | undefined)[] = [];
  const open = new Map<number, AnswerBlock>();
  let thoughts: Item[] = [];
  /** Finished calls, and the thinking before them. */
  let calls: Item[] = [];

  function decode(event: JsonObject): readonly ModelEvent[] | undefined {
    const index = numberAt(event, 'index') ?? 0;
    switch (event['type']) {
      case 'message_start': {
        const message = objectAt(event, 'message');
        messageId = stringAt(message, 'id') ?? '';
        usage.push(objectAt(message, 'usage'));
        return [
          ...(messageId === '' ? nothing : [{ kind: 'created', responseId: messageId } as const]),
          ...serverModel(message?.['model']),
        ];
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
      // The API sends it while nothing else is to be said.
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
    // The last call of an answer that was cut short is not whole.
    if (failure !== undefined) return [failed(failure, messagesUsage(usage))];
    const rest = [...released(), ...thoughts.map((item): ModelEvent => ({ kind: 'item', item }))];
    const counted = messagesUsage(usage);
    const endTurn = stopReason === 'pause_turn' ? false : undefined;
    return [...rest, { kind: 'completed', responseId: messageId, ...defined({ usage: counted, endTurn }) }];
  }

  return {
    event(data) {
      const text = data.toString('utf8');
      // Some servers end every stream as that of another format does.
      if (text === '[DONE]') return nothing;
      if (isBroken) return [failed(unreadableAnswer('event'))];
      const event = parseJsonObject(text);
      isBroken = event === undefined;
      return event === undefined ? undefined : decode(event);
    },
    // Everything is there once the reason is: some servers leave the last event out.
    end: () => (stopReason === undefined || open.size > 0 ? nothing : completed()),
  };
}

function blockText(block: AnswerBlock): string {
  return block.kind === 'text' || block.kind === 'thinking' ? block.texts.join('') : '';
}

function preview(block: AnswerBlock, delta: string): readonly ModelEvent[] {
  if (delta === '') return nothing;
  if (block.kind === 'text') return [{ kind: 'text-delta', itemId: block.itemId ?? '', delta }];
  // Without a name there is no item that the preview could end with.
  if (block.kind !== 'thinking' || block.itemId === undefined) return nothing;
  return [{ kind: 'reasoning-delta', itemId: block.itemId, part: 0, delta }];
}

/** `usage`: what the answer cost all the same. */
function failed(failure: ModelFailure, usage?: Usage): ModelEvent {
  return { kind: 'failed', failure, ...defined({ usage }) };
}

/** A block of an answer while it arrives. */
type AnswerBlock = { readonly itemId: string | undefined } & (
  | { readonly kind: 'text'; readonly texts: string[] }
  | { readonly kind: 'thinking'; readonly texts: string[]; readonly signatures: string[] }
  | { readonly kind: 'redacted'; readonly data: string }
  | {
      readonly kind: 'call';
      readonly callId: string;
      readonly name: string;
      /** Pieces of the JSON text of its arguments. */
      readonly texts: string[];
      /** The arguments of a server that gives them at once. */
      readonly given: JsonObject;
    }
);

/** The item of an answer is named after its message and its place in it. */
export interface BlockPlace {
  readonly messageId: string;
  readonly index: number;
}

/** Undefined for a block that a provider of tools of its own sends, or one of a type that is not known. */
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

/** Adds a piece, and gives the words in it that can be shown. */
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

/** The item that a block became; undefined if there is nothing in it. A call without a name cannot be answered. */
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
      // Without a signature the provider takes no thinking back.
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

/** Undefined where the server does not name its messages: the thread names the item then. */
function itemIdAt(prefix: string, { messageId, index }: BlockPlace): string | undefined {
  const name = messageId.replace(/^msg_/, '').replaceAll(/[^a-zA-Z0-9-]/g, '-');
  return name === '' ? undefined : `${prefix}_${name.slice(0, 64)}-${index}`;
}

/** Types that say no more than a status does. What is not here may pass by itself. */
const plain: Readonly<Record<string, FailureCause>> = {
  invalid_request_error: 'request',
  not_found_error: 'not-found',
  authentication_error: 'key',
  permission_error: 'forbidden',
};

/** Why an answer that had begun failed, by the error of its last event. */
export function eventFailure(error: JsonObject | undefined): ModelFailure {
  const [type, message] = [stringAt(error, 'type') ?? '', stringAt(error, 'message') ?? ''];
  if (type === 'request_too_large' || saysOverflow(message)) return overflowFailure(message);
  const cause = causeOfSign(type)?.cause ?? (Object.hasOwn(plain, type) ? plain[type]! : 'server');
  const words = detailOf(message);
  const name = type === '' ? 'an error' : `the error ${detailOf(type)}`;
  const reported = `The provider reported ${name}${words === '' ? '.' : `: ${words}`}`;
  return modelFailure({ cause, message: reported });
}

/** Why an answer is not what was asked for, by the reason with which it stopped; undefined for one that is complete. */
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

/** No window holds as much: a larger count is a fault of the server. */
const mostTokens = 1_000_000_000;

/**
 * Token counts as an answer reports them, in two parts: at its beginning, and again, for the answer so far, at its end.
 * `input_tokens` leaves out what the cache gave and took, which our input has in it. Undefined when nothing is counted.
 */
function messagesUsage(reported: readonly (JsonObject | undefined)[]): Usage | undefined {
  const count = (key: string): number => {
    const value = reported.map((part) => part?.[key]).findLast((each) => typeof each === 'number' && each >= 0);
    return typeof value === 'number' && value <= mostTokens ? value : 0;
  };
  const [cachedInput, cacheWriteInput] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')];
  const input = count('input_tokens') + cachedInput + cacheWriteInput;
  const output = count('output_tokens');
  // Half a count is none: a request is never empty.
  if (input === 0) return undefined;
  return repairUsage({ input, cachedInput, cacheWriteInput, output }, mostTokens);
}
