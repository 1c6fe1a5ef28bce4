import type { AnswerLimits } from '../../config/defaults.ts';
import type { ModelEvent, ModelFailure } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { AnswerReader } from '../http/answer-decoder.ts';
import { serverModel } from '../http/answer-headers.ts';
import { answerTooLarge, unreadableAnswer } from '../http/answer-failure.ts';
import type { Usage } from '../../protocol/usage.ts';
import { type AnswerBlock, beginBlock, blockItem, extendBlock } from './answer-block.ts';
import { eventFailure, stopFailure } from './answer-errors.ts';
import { messagesUsage } from './wire-usage.ts';

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
