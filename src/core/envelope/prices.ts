import { defined } from '../../base/objects.ts';
import { type UsageAllowance, noUsage, type RequestFit, type Usage } from '../../protocol/usage.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** Absent: as other input. */
  readonly cachedInput?: number;
  /** Absent: as other input. */
  readonly cacheWrite?: number;
  readonly output: number;
  /** The day on which the price was right, `YYYY-MM-DD`. Absent: the user did not say. */
  readonly asOf?: string;
  /** `model_prices` of the configuration, or a page of the provider. */
  readonly source: string;
  /** Requests with more input tokens have another, unknown price. Absent: no such bound. */
  readonly mostInput?: number;
}

export interface PriceEntry extends ModelPrice {
  readonly provider: string;
  readonly model: string;
  /** The price holds only for this host, and without a service tier. Absent: the user set it. */
  readonly host?: string;
}

export const configuredPriceSource = 'model_prices';
/** True for a price that a provider publishes for requests with a key. */
export const isListPrice = ({ source }: Pick<ModelPrice, 'source'>): boolean => source !== configuredPriceSource;

interface PricedModel extends Pick<PriceEntry, 'provider' | 'model'> {
  readonly address?: string;
  readonly serviceTier?: string;
}

/** The first matching entry. A model name with a date suffix has the price of the plain name. */
export function findPrice(entries: readonly PriceEntry[], asked: PricedModel): ModelPrice | undefined {
  const found = entries.find((entry) => entry.provider === asked.provider && fits(entry, asked));
  if (found === undefined) return undefined;
  const { input, cachedInput, cacheWrite, output, asOf, source, mostInput } = found;
  return defined({ input, cachedInput, cacheWrite, output, asOf, source, mostInput });
}

const datedName = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

function fits({ model, host }: PriceEntry, asked: PricedModel): boolean {
  if (model !== asked.model && model !== asked.model.replace(datedName, '')) return false;
  if (host === undefined) return true;
  // Another server under the same name, or another tier, has its own prices.
  return asked.serviceTier === undefined && hostOf(asked.address) === host;
}

const hostOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).host : undefined;

export function usageWithCost(usage: Usage, price: ModelPrice | undefined): Usage {
  if (price === undefined || usage.input > (price.mostInput ?? Infinity)) return usage;
  const { input, cachedInput, cacheWriteInput, output } = usage;
  const plain = Math.max(0, input - cachedInput - cacheWriteInput);
  const { cachedInput: cached = price.input, cacheWrite = price.input } = price;
  const microUsd = plain * price.input + cachedInput * cached + cacheWriteInput * cacheWrite + output * price.output;
  return { ...usage, cost: { nanoUsd: Math.round(microUsd * 1000), unpriced: 0 } };
}

export const leastAnswerTokens = 2000;

export interface RequestSize {
  readonly input: number;
  /** The longest possible answer without a limit. */
  readonly output: number;
  /** The shortest useful answer; all of `output` where the request cannot limit its answer. */
  readonly least: number;
  readonly price: ModelPrice | undefined;
}

/** Decides if a request fits the limits, and how long its answer may be. Assumes that nothing is cached. */
export function fitRequestToCost(allowances: readonly UsageAllowance[], size: RequestSize): RequestFit {
  const unknown = allowances.find(({ unit, unpriced = 0 }) => unit === 'nanoUsd' && (unpriced > 0 || isUnpriced(size)));
  if (unknown !== undefined) return { kind: 'unknown', allowance: unknown };
  let { output } = size;
  for (const allowance of allowances) {
    const { of, each } = weights(allowance.unit, size);
    const left = allowance.most - allowance.used - of;
    const space = each === 0 ? (left >= 0 ? Infinity : -1) : Math.floor(left / each);
    if (space < size.least) return { kind: 'reached', allowance, least: of + size.least * each };
    output = Math.min(output, space);
  }
  return { kind: 'fits', output, most: mostUsage(size, output) };
}

const isUnpriced = ({ input, price }: RequestSize): boolean =>
  price === undefined || input > (price.mostInput ?? Infinity);

function weights(unit: UsageAllowance['unit'], { input, price }: RequestSize) {
  if (unit === 'tokens' || price === undefined) return { of: input, each: 1 };
  return { of: Math.ceil(input * dearestInput(price) * 1000), each: price.output * 1000 };
}

const dearestInput = ({ input, cacheWrite = 0 }: ModelPrice): number => Math.max(input, cacheWrite);

function mostUsage({ input, price }: RequestSize, output: number): Usage {
  const counts = { ...noUsage, input, output, total: input + output };
  return usageWithCost(counts, price && { ...price, input: dearestInput(price) });
}
