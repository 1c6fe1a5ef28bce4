import {
  abortedFailure,
  answerTooLarge,
  cutFailure,
  providerFault,
  unreadableAnswer,
} from '../../model/http/answer-failure.ts';
import type { ModelEvent, ModelFailure } from '../../ports/model-client.ts';
import { asItem } from '../../protocol/item.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { notPlain, plainCopy } from '../../protocol/plain-copy.ts';

/**
 * An answer as the port promises it, whatever a wire format gives: it ends with exactly one `completed` or `failed`,
 * nothing comes after that, and every item is one that a line can hold. Throws only a Fault.
 */
export async function* checkedAnswer(
  ask: () => AsyncIterable<ModelEvent>,
  { maxItems, signal }: { readonly maxItems: number; readonly signal: AbortSignal },
): AsyncGenerator<ModelEvent, void> {
  let items = 0;
  let isOver = false;
  try {
    for await (const given of ask()) {
      const event = readable(given);
      const isOneTooMany = event.kind === 'item' && ++items > maxItems;
      const next = isOneTooMany ? failed(answerTooLarge(`${maxItems} items`)) : event;
      isOver = next.kind === 'completed' || next.kind === 'failed';
      yield next;
      if (isOver) return;
    }
  } catch (error) {
    const failure = providerFault(error);
    // What goes wrong while the connection is given up changes nothing about an answer that is there.
    if (isOver) return;
    return yield failed(signal.aborted ? abortedFailure() : failure);
  }
  yield failed(signal.aborted ? abortedFailure() : cutFailure('end of stream'));
}

/** The event, or the failure that it is if it is none. */
function readable(event: ModelEvent): ModelEvent {
  const given: unknown = event;
  if (!isJsonObject(given)) return failed(unreadableAnswer('event'));
  switch (event.kind) {
    case 'item':
      if (asItem(event.item) !== undefined && plainCopy(event.item) !== notPlain) return event;
      return failed(unreadableAnswer('item'));
    case 'text-delta':
    case 'reasoning-delta':
      if (typeof event.delta === 'string' && typeof event.itemId === 'string') return event;
      return failed(unreadableAnswer('event'));
    case 'failed':
      return isFailure(event.failure) ? event : failed(unreadableAnswer('end'));
    default:
      return event;
  }
}

function isFailure(failure: ModelFailure): boolean {
  const given: unknown = failure;
  if (!isJsonObject(given)) return false;
  const { code, message, next, retry } = given;
  const isSaid = [code, message, next].every((text) => typeof text === 'string');
  return isSaid && (retry === 'never' || isJsonObject(retry));
}

function failed(failure: ModelFailure): Extract<ModelEvent, { kind: 'failed' }> {
  return { kind: 'failed', failure };
}
