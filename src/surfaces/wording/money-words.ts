import type { Cost, Usage } from '../../protocol/usage.ts';
import { usageFields } from '../../state/usage-fields.ts';
import { plural } from './number-words.ts';

/** `$1.25`, `$0.031`, `$0.000042`: two digits that say something, and cents at least. */
function usdWords(nanoUsd: number): string {
  const usd = nanoUsd / 1e9;
  if (usd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  const digits = Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(usd))));
  return `$${usd.toFixed(digits)}`;
}

export const costUnknown = 'cost unknown';

/**
 * `$0.12`, `about $0.12` where some tokens are an estimate, or `at least $0.12 (1,200 tokens without a price)`. What is
 * not known is not zero.
 */
export function moneyWords(cost: Cost | undefined, estimated = 0): string {
  if (cost === undefined || (cost.nanoUsd === 0 && cost.unpriced > 0)) return costUnknown;
  const known = `${estimated > 0 ? 'about ' : ''}${usdWords(cost.nanoUsd)}`;
  return cost.unpriced === 0 ? known : `at least ${known} (${plural(cost.unpriced, 'token')} without a price)`;
}

/** Counts for programs: the names of Codex, and the cost in dollars beside them where it is known. */
export function usageForPrograms(usage: Usage) {
  const { cost_nano_usd: nanoUsd, ...counts } = usageFields(usage);
  return { ...counts, ...(nanoUsd !== undefined && { cost_usd: nanoUsd / 1e9 }) };
}
