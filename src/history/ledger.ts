import type { Prompt } from '../ports/prompt.ts';
import { stringAt } from '../protocol/json.ts';
import type { Usage } from '../protocol/usage.ts';
import { instructionsTokens, itemTokens, toolTokens } from './size.ts';

/** The provider said it; it is our estimate, scaled to sum to what the provider said; or our estimate alone. */
export type Measure = 'exact' | 'scaled' | 'estimated';

/** What one part of a request weighs. */
export interface Share {
  readonly part:
    | { readonly kind: 'instructions' }
    | { readonly kind: 'tool'; readonly name: string }
    /** `index` counts the items of the request's input. */
    | { readonly kind: 'entry'; readonly index: number };
  readonly tokens: number;
  readonly measure: Measure;
  /** How many of the tokens the provider had in its cache; undefined when the provider said nothing. */
  readonly cached: number | undefined;
}

/** Who takes the space of a request. The shares stand in the order of the request and always sum to the total. */
export interface Ledger {
  readonly total: number;
  readonly measure: Measure;
  readonly shares: readonly Share[];
}

/** The parts of a request that weigh something. A `Prompt` is one. */
export type WeighedRequest = Pick<Prompt, 'instructions' | 'tools' | 'input'>;

/** `usage` is the provider's count for this very request, if it gave one. */
export function ledgerOf(request: WeighedRequest, usage: Usage | undefined): Ledger {
  const parts = partsOfRequest(request);
  const estimates = parts.map(({ tokens }) => tokens);
  if (usage === undefined || usage.input === 0) {
    const shares = parts.map((part) => ({ ...part, measure: 'estimated' as const, cached: undefined }));
    return { total: sum(estimates), measure: 'estimated', shares };
  }
  const weights = apportion(estimates, usage.input);
  const cached = cachedShares(weights, usage.cachedInput);
  const shares = weights.map((tokens, index) => {
    return { part: parts[index]!.part, tokens, measure: 'scaled' as const, cached: cached[index]! };
  });
  return { total: usage.input, measure: 'exact', shares };
}

/** What a request is taken to weigh before a provider has seen it. */
export function requestTokens({ instructions, tools, input }: WeighedRequest): number {
  return instructionsTokens(instructions) + sum(tools.map(toolTokens)) + sum(input.map(itemTokens));
}

function partsOfRequest({ instructions, tools, input }: WeighedRequest): readonly Pick<Share, 'part' | 'tokens'>[] {
  return [
    { part: { kind: 'instructions' }, tokens: instructionsTokens(instructions) },
    ...tools.map((tool) => {
      const name = stringAt(tool, 'name') ?? tool.type;
      return { part: { kind: 'tool', name } as const, tokens: toolTokens(tool) };
    }),
    ...input.map((item, index) => ({ part: { kind: 'entry', index } as const, tokens: itemTokens(item) })),
  ];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Whole numbers in the ratio of the weights that sum to the total: what rounding left over goes to the largest remainders. */
export function apportion(weights: readonly number[], total: number): readonly number[] {
  const weight = weights.reduce((sum, each) => sum + each, 0);
  // Nothing weighs anything and yet there is something to share: all get alike.
  if (weight === 0 && weights.length > 0)
    return apportion(
      weights.map(() => 1),
      total,
    );
  const wanted = weights.map((each) => (each * total) / weight);
  const shares = wanted.map(Math.floor);
  const byRemainder = wanted.map((_, index) => index);
  byRemainder.sort((a, b) => wanted[b]! - shares[b]! - (wanted[a]! - shares[a]!) || a - b);
  const left = total - shares.reduce((sum, each) => sum + each, 0);
  for (const index of byRemainder.slice(0, left)) shares[index]!++;
  return shares;
}

/** Splits cached tokens over parts in their order: a cache holds the beginning of a request. */
export function cachedShares(tokens: readonly number[], cached: number): readonly number[] {
  let left = cached;
  return tokens.map((own) => {
    const share = Math.min(own, left);
    left -= share;
    return share;
  });
}
