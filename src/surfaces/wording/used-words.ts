import { type Usage, usedTokens } from '../../protocol/usage.ts';
import { count } from './number-words.ts';

/** Tokens that were used, those of requests that no provider counted included: a price beside them is for the same. */
export function usedWithEstimate(usage: Usage): number {
  return usedTokens(usage) + (usage.estimated ?? 0);
}

/** `about ` where some of it is an estimate, or nothing. */
export function aboutWord({ estimated = 0 }: Usage): '' | 'about ' {
  return estimated > 0 ? 'about ' : '';
}

/** `about 14,700`. */
export function usedCount(usage: Usage): string {
  return `${aboutWord(usage)}${count(usedWithEstimate(usage))}`;
}
