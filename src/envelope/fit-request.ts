import type { Allowance, Fitting } from '../protocol/spending.ts';
import { noUsage, type Usage } from '../protocol/usage.ts';
import { type Price, priced } from './price.ts';

/** An answer with fewer tokens is of no use. */
export const leastOutput = 2000;

/** What a request may cost. */
export interface RequestSize {
  readonly input: number;
  /** The most tokens that its answer has if nothing limits it. */
  readonly output: number;
  /** The fewest that it must have: all of them where the request cannot say how long its answer may be. */
  readonly least: number;
  readonly price: Price | undefined;
}

/** Whether a request can be sent under these limits, and how long its answer may be. Nothing is taken to be cached. */
export function fitRequest(allowances: readonly Allowance[], size: RequestSize): Fitting {
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

function isUnpriced({ input, price }: RequestSize): boolean {
  return price === undefined || input > (price.mostInput ?? Infinity);
}

/** What the input takes of a limit, and what each token of the answer does. */
function weights(
  unit: Allowance['unit'],
  { input, price }: RequestSize,
): { readonly of: number; readonly each: number } {
  if (unit === 'tokens' || price === undefined) return { of: input, each: 1 };
  return { of: Math.ceil(input * dearestInput(price) * 1000), each: price.output * 1000 };
}

function dearestInput({ input, cacheWrite = 0 }: Price): number {
  return Math.max(input, cacheWrite);
}

function mostUsage({ input, price }: RequestSize, output: number): Usage {
  const counts = { ...noUsage, input, output, total: input + output };
  return priced(counts, price && { ...price, input: dearestInput(price) });
}
