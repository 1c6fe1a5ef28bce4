import { usageFields } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { formatCount, plural } from '../../../engine/wording.ts';
import type { Cost, Usage } from '../../../protocol/usage.ts';

export interface UsageWithUncounted {
  /** Absent: the provider counted nothing. */
  readonly usage?: Usage | undefined;
  readonly uncounted?: number | undefined;
}

/** `1,200 in (800 cached), 50 out, $0.012`; undefined if no request was answered. Unknown cost is not zero. */
export function costLine({ usage, uncounted = 0 }: UsageWithUncounted): string | undefined {
  if (usage === undefined) return uncounted === 0 ? undefined : uncountedTokens(0);
  const { total, estimated = 0 } = usage;
  const cost = usage.cost === undefined ? '' : `, ${moneyWords(usage.cost, estimated)}`;
  const tokens =
    total === 0
      ? uncountedTokens(estimated)
      : `${formatCount(usage.input)} in (${formatCount(usage.cachedInput)} cached), ${formatCount(usage.output)} out${uncountedWords(uncounted, estimated)}`;
  return `${tokens}${cost}`;
}

/** Tokens that no provider counted, estimated by Capstan. 0: no estimate. */
export const uncountedTokens = (estimated: number): string =>
  estimated === 0 ? `not known ${notCountedReason}` : `about ${formatCount(estimated)} ${whyEstimated}`;

export const notCountedReason = '(the provider did not count them)';
const whyEstimated = '(estimated: the provider did not count them)';

export function uncountedWords(requests: number, estimated = 0): string {
  const about = estimated === 0 ? '' : ` (about ${formatCount(estimated)} tokens)`;
  return requests === 0 ? '' : `, and ${plural(requests, 'request')} that the provider did not count${about}`;
}

/** `$1.25`, `$0.031`, `$0.000042`: two significant digits, and cents at least. */
function usdWords(nanoUsd: number): string {
  const usd = nanoUsd / 1e9;
  if (usd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  const digits = Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(usd))));
  return `$${usd.toFixed(digits)}`;
}

export const costUnknown = 'cost unknown';

/** `$0.12`, `about $0.12` if estimated, or `at least $0.12 (1,200 tokens without a price)`. Unknown is not zero. */
export function moneyWords(cost: Cost | undefined, estimated = 0): string {
  if (cost === undefined || (cost.nanoUsd === 0 && cost.unpriced > 0)) return costUnknown;
  const known = `${estimated > 0 ? 'about ' : ''}${usdWords(cost.nanoUsd)}`;
  return cost.unpriced === 0 ? known : `at least ${known} (${plural(cost.unpriced, 'token')} without a price)`;
}

/** Counts by the names of Codex, with the cost in dollars if it is known. */
export function usageForPrograms(usage: Usage) {
  const { cost_nano_usd: nanoUsd, ...counts } = usageFields(usage);
  return { ...counts, ...(nanoUsd !== undefined && { cost_usd: nanoUsd / 1e9 }) };
}
