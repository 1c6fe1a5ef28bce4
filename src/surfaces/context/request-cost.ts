import { type Price, priced } from '../../envelope/price.ts';
import { type JsonObject, objectAt } from '../../protocol/json.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import type { WindowContent } from './window-content.ts';

/** What a request of the thread costs. */
export interface RequestCost {
  /** The newest one that the provider counted. */
  readonly last?: Usage;
  /** The next one without its answer: if the provider still has in its cache what it read last, and if it has nothing. */
  readonly next?: { readonly cached: Usage; readonly uncached: Usage };
}

/** `envelope`: of the next turn. Where the last request had no price, none is foreseen: a plan may pay for it. */
export function requestCost(
  { total, counted }: Pick<WindowContent, 'total' | 'counted'>,
  envelope: JsonObject | undefined,
): RequestCost {
  if (counted === undefined) return {};
  const { usage: last } = counted;
  const price = objectAt(objectAt(envelope ?? {}, 'identity') ?? {}, 'price') as unknown as Price | undefined;
  if (last.cost === undefined || price === undefined) return { last };
  const uncached = { ...noUsage, input: total, total };
  const cached = { ...uncached, cachedInput: Math.min(total, last.input) };
  return { last, next: { cached: priced(cached, price), uncached: priced(uncached, price) } };
}
