import { type Usage, usedTokens } from '../../../protocol/usage.ts';
import { formatCount } from '../../../engine/wording.ts';

/** Tokens that were used, those of requests that no provider counted included: a price beside them is for the same. */
export function usedWithEstimate(usage: Usage): number {
  return usedTokens(usage) + (usage.estimated ?? 0);
}

/** `about ` where some of it is an estimate, or nothing. */
export function approximatePrefix({ estimated = 0 }: Usage): '' | 'about ' {
  return estimated > 0 ? 'about ' : '';
}

/** `about 14,700`. */
export function usedTokensWords(usage: Usage): string {
  return `${approximatePrefix(usage)}${formatCount(usedWithEstimate(usage))}`;
}
