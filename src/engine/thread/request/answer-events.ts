import {
  abortedFailure,
  answerTooLarge,
  cutFailure,
  wireFormatFailure,
  unreadableAnswer,
} from '../../../adapters/model/http/failures/answer-failure.ts';
import { notPlain, plainCopy } from '../../../base/objects.ts';
import { type ModelPrice, usageWithCost } from '../../../core/envelope/prices.ts';
import { itemTokens } from '../../../core/history/token-counts.ts';
import { requestTokens } from '../../../core/history/window-usage.ts';
import type { ModelEvent, ModelFailure, ModelPrompt } from '../../../ports/model.ts';
import { asItem } from '../../../protocol/item.ts';
import { isJsonObject } from '../../../protocol/json.ts';
import { noUsage, type Usage } from '../../../protocol/usage.ts';

/** Enforces the port's contract: one `completed` or `failed` at the end, storable items. Throws only a Fault. */
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
    const failure = wireFormatFailure(error);
    // Errors while the connection is closed do not change a finished answer.
    if (isOver) return;
    return yield failed(signal.aborted ? abortedFailure() : failure);
  }
  yield failed(signal.aborted ? abortedFailure() : cutFailure('end of stream'));
}

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

const failed = (failure: ModelFailure): Extract<ModelEvent, { kind: 'failed' }> => ({ kind: 'failed', failure });
type EndOfAnswer = Extract<ModelEvent, { kind: 'completed' | 'failed' }>;
type PartOfAnswer = Exclude<ModelEvent, EndOfAnswer>;
/** The end of an answer with its cost: `usage` as counted by the provider, `spent` estimated where it did not count. */
export type CostedEvent = PartOfAnswer | (EndOfAnswer & { readonly spent?: Usage });

export class CostCounter {
  readonly #prompt: ModelPrompt;
  #items = 0;
  /** Characters of text that has not become an item yet. */
  #unfinished = 0;
  #hasAnswer = false;

  constructor(prompt: ModelPrompt) {
    this.#prompt = prompt;
  }

  read(event: PartOfAnswer): CostedEvent {
    if (event.kind !== 'rate-limits') this.#hasAnswer = true;
    if (event.kind === 'text-delta' || event.kind === 'reasoning-delta') this.#unfinished += event.delta.length;
    if (event.kind === 'item') {
      this.#items += itemTokens(event.item);
      this.#unfinished = 0;
    }
    return event;
  }

  end(event: EndOfAnswer, price: ModelPrice | undefined): EndOfAnswer & { readonly spent?: Usage } {
    if (event.usage !== undefined) {
      const usage = usageWithCost(event.usage, price);
      return { ...event, usage, spent: usage };
    }
    // A request without any response was refused, or never arrived: it costs nothing.
    return event.kind === 'completed' || this.#hasAnswer ? { ...event, spent: this.#estimate(price) } : event;
  }

  #estimate(price: ModelPrice | undefined): Usage {
    const input = requestTokens(this.#prompt);
    const output = this.#items + Math.ceil(this.#unfinished / 4);
    const { cost } = usageWithCost({ ...noUsage, input, output, total: input + output }, price);
    return { ...noUsage, estimated: input + output, ...(cost && { cost }) };
  }
}
