import { valueOrAbort } from './abort.ts';

/** Token counts of one model response, or a sum of such counts. `input` includes cached, `output` includes reasoning. */
export interface Usage extends TokenCounts {
  /** Capstan's estimate of further tokens, for answers that no provider counted. Absent: all were counted. */
  readonly estimated?: number;
  /** Absent: no price is known for any of it. */
  readonly cost?: Cost;
}

export const tokenCountNames = [
  'input',
  'cachedInput',
  'cacheWriteInput',
  'output',
  'reasoningOutput',
  'total',
] as const;
export type TokenCounts = Readonly<Record<(typeof tokenCountNames)[number], number>>;

/** Integers, so that sums are exact in any order. */
export interface Cost {
  /** Billionths of a US dollar. */
  readonly nanoUsd: number;
  /** Tokens without a known price, whose cost is missing here. */
  readonly unpriced: number;
}

export const noUsage: Usage = { input: 0, cachedInput: 0, cacheWriteInput: 0, output: 0, reasoningOutput: 0, total: 0 };
/** Counts of a provider or a file: anything may be missing or invalid. */
export type ReportedUsage = { readonly [Name in keyof Usage]?: unknown };

/** Makes counts consistent: invalid ones become zero, parts are at most their whole, and a total at least its parts. */
export function repairUsage(reported: ReportedUsage, most = Number.MAX_SAFE_INTEGER): Usage {
  const count = (value: unknown): number =>
    typeof value === 'number' && value > 0 && value <= most ? Math.round(value) : 0;
  const input = count(reported.input);
  const output = count(reported.output);
  const total = Math.max(input + output, count(reported.total));
  const estimated = count(reported.estimated);
  const counts = {
    input,
    cachedInput: Math.min(input, count(reported.cachedInput)),
    cacheWriteInput: Math.min(input, count(reported.cacheWriteInput)),
    output,
    reasoningOutput: Math.min(output, count(reported.reasoningOutput)),
    total,
  };
  return usageOf(counts, estimated, mendCost(reported.cost, total + estimated));
}

const usageOf = (counts: TokenCounts, estimated: number, cost: Cost | undefined): Usage =>
  estimated === 0 && cost === undefined
    ? counts
    : { ...counts, ...(estimated > 0 && { estimated }), ...(cost && { cost }) };

/** Uncached input plus output: cached input would count with every request, and may exceed it in foreign files. */
export const usedTokens = ({ input, cachedInput, output }: Usage): number => Math.max(0, input - cachedInput) + output;

/** Treats an invalid cost as unknown, so that it never looks smaller than it is. */
function mendCost(value: unknown, tokens: number): Cost | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { nanoUsd, unpriced } = value as Partial<Record<keyof Cost, unknown>>;
  if (!isCount(nanoUsd) || !isCount(unpriced)) return undefined;
  return { nanoUsd, unpriced: Math.min(unpriced, tokens) };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export function addUsage(a: Usage, b: Usage): Usage {
  const counts = eachCount((name) => a[name] + b[name]);
  return usageOf(counts, (a.estimated ?? 0) + (b.estimated ?? 0), addCost(a, b));
}

const eachCount = (of: (name: keyof TokenCounts) => number): TokenCounts =>
  Object.fromEntries(tokenCountNames.map((name) => [name, of(name)])) as unknown as TokenCounts;

/** Tokens without a price stay visible beside those that have one. */
function addCost(a: Usage, b: Usage): Cost | undefined {
  if (a.cost === undefined && b.cost === undefined) return undefined;
  const [one, other] = [costOrUnpriced(a), costOrUnpriced(b)];
  return { nanoUsd: one.nanoUsd + other.nanoUsd, unpriced: one.unpriced + other.unpriced };
}

const costOrUnpriced = ({ cost, total, estimated = 0 }: Usage): Cost =>
  cost ?? { nanoUsd: 0, unpriced: total + estimated };

/** The difference of two counts, never below zero. */
export function usageSince(before: Usage, now: Usage): Usage {
  const counts = eachCount((name) => Math.max(0, now[name] - before[name]));
  const estimated = Math.max(0, (now.estimated ?? 0) - (before.estimated ?? 0));
  return usageOf(counts, estimated, costSince(before, now));
}

function costSince(before: Usage, now: Usage): Cost | undefined {
  if (now.cost === undefined) return undefined;
  const then = costOrUnpriced(before);
  return {
    nanoUsd: Math.max(0, now.cost.nanoUsd - then.nanoUsd),
    unpriced: Math.max(0, now.cost.unpriced - then.unpriced),
  };
}

export const isSameCount = (one: TokenCounts, other: TokenCounts): boolean =>
  tokenCountNames.every((name) => one[name] === other[name]);

/** Carries the known cost into a total from a line of another program, which has none. New tokens have no price. */
export function carryCostForward(before: Usage, total: Usage): Usage {
  if (total.cost !== undefined || before.cost === undefined) return total;
  const { nanoUsd, unpriced } = before.cost;
  return { ...total, cost: { nanoUsd, unpriced: unpriced + Math.max(0, total.total - before.total) } };
}

export type LimitName =
  | 'max_turn_tokens'
  | 'max_thread_tokens'
  | 'max_turn_cost'
  | 'max_thread_cost'
  | 'agents.max_tokens';

/** A limit and its usage: tokens, or billionths of a US dollar. */
export interface UsageAllowance {
  readonly limit: LimitName;
  readonly unit: 'tokens' | 'nanoUsd';
  readonly most: number;
  readonly used: number;
  /** Used tokens of unknown cost. Only for cost limits. */
  readonly unpriced?: number;
}

export type RequestFit =
  /** `output`: the allowed length of the answer in tokens. `most`: the usage at that length. */
  | { readonly kind: 'fits'; readonly output: number; readonly most: Usage }
  /** It could pass this limit. `least`: the minimum it would take, in the unit of the limit. */
  | { readonly kind: 'reached'; readonly allowance: UsageAllowance; readonly least: number }
  /** Capstan does not know how much of this limit the request would take, or how much was taken before. */
  | { readonly kind: 'unknown'; readonly allowance: UsageAllowance };

export type PendingUsage<Name> = { of(wanted: (by: Name) => boolean): Usage };
type Entry<Name> = { readonly by: Name; readonly most: Usage; readonly over: PromiseWithResolvers<void> };

/** Requests that share limits. Each reserves its highest possible cost until it is over. */
export class PendingRequests<Name> {
  readonly #all = new Set<Entry<Name>>();

  /**
   * Waits while it fits only without the reserves of running requests. No `await` is between decision and entry, so no
   * two requests are decided on the same numbers.
   */
  async admit(
    by: Name,
    decide: (under: PendingUsage<Name>) => RequestFit,
    signal: AbortSignal,
  ): Promise<{ readonly fitting: RequestFit; over(): boolean }> {
    for (;;) {
      const fitting = decide(this);
      if (fitting.kind === 'fits') {
        const entry = { by, most: fitting.most, over: Promise.withResolvers<void>() };
        this.#all.add(entry);
        return { fitting, over: () => this.#end(entry) };
      }
      const alone = this.#all.size === 0 ? fitting : decide({ of: () => noUsage });
      if (alone.kind !== 'fits' || signal.aborted)
        return { fitting: alone.kind === 'fits' ? fitting : alone, over: () => false };
      await valueOrAbort(Promise.race([...this.#all].map((entry) => entry.over.promise)), signal, undefined);
    }
  }

  of(wanted: (by: Name) => boolean): Usage {
    return [...this.#all].reduce((all, { by, most }) => (wanted(by) ? addUsage(all, most) : all), noUsage);
  }

  #end(entry: Entry<Name>): boolean {
    entry.over.resolve();
    return this.#all.delete(entry);
  }
}
