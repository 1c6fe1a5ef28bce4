import { type Usage, usedTokens } from '../../../protocol/usage.ts';
import { formatCount } from '../../../engine/wording.ts';

/** Used tokens, including those of requests that no provider counted, so that they match a price beside them. */
export function usedWithEstimate(usage: Usage): number {
  return usedTokens(usage) + (usage.estimated ?? 0);
}

/** `about ` if some of it is an estimate, else empty. */
export function approximatePrefix({ estimated = 0 }: Usage): '' | 'about ' {
  return estimated > 0 ? 'about ' : '';
}

export function usedTokensWords(usage: Usage): string {
  return `${approximatePrefix(usage)}${formatCount(usedWithEstimate(usage))}`;
}
