import { type Usage, usedTokens } from '../../../protocol/usage.ts';
import { formatCount } from '../../../engine/wording.ts';

/** Used tokens, including those of requests that no provider counted, so that they match a price beside them. */
export const usedWithEstimate = (usage: Usage): number => usedTokens(usage) + (usage.estimated ?? 0);

/** `about ` if some of it is an estimate, else empty. */
export const approximatePrefix = ({ estimated = 0 }: Usage): '' | 'about ' => (estimated > 0 ? 'about ' : '');

export const usedTokensWords = (usage: Usage): string =>
  `${approximatePrefix(usage)}${formatCount(usedWithEstimate(usage))}`;
