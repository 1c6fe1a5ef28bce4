import { type Price, priced } from '../../envelope/price.ts';
import { requestTokens } from '../../history/ledger.ts';
import { itemTokens } from '../../history/size.ts';
import type { ModelEvent } from '../../ports/model-client.ts';
import type { Prompt } from '../../ports/prompt.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';

type EndOfAnswer = Extract<ModelEvent, { kind: 'completed' | 'failed' }>;
type PartOfAnswer = Exclude<ModelEvent, EndOfAnswer>;

/** The end of an answer with what it cost: `usage` as the provider counted it, `spent` estimated where it did not. */
export type SpentEvent = PartOfAnswer | (EndOfAnswer & { readonly spent?: Usage });

/** Counts what one request costs while its answer arrives. */
export class SpentCounter {
  readonly #prompt: Prompt;
  #items = 0;
  /** Characters of text that has not become an item yet. */
  #unfinished = 0;
  #hasAnswer = false;

  constructor(prompt: Prompt) {
    this.#prompt = prompt;
  }

  read(event: PartOfAnswer): SpentEvent {
    if (event.kind !== 'rate-limits') this.#hasAnswer = true;
    if (event.kind === 'text-delta' || event.kind === 'reasoning-delta') this.#unfinished += event.delta.length;
    if (event.kind === 'item') {
      this.#items += itemTokens(event.item);
      this.#unfinished = 0;
    }
    return event;
  }

  end(event: EndOfAnswer, price: Price | undefined): EndOfAnswer & { readonly spent?: Usage } {
    if (event.usage !== undefined) {
      const usage = priced(event.usage, price);
      return { ...event, usage, spent: usage };
    }
    // A request to which nothing came back was refused, or never arrived: it costs nothing.
    return event.kind === 'completed' || this.#hasAnswer ? { ...event, spent: this.#estimate(price) } : event;
  }

  #estimate(price: Price | undefined): Usage {
    const input = requestTokens(this.#prompt);
    const output = this.#items + Math.ceil(this.#unfinished / 4);
    const { cost } = priced({ ...noUsage, input, output, total: input + output }, price);
    return { ...noUsage, estimated: input + output, ...(cost && { cost }) };
  }
}
