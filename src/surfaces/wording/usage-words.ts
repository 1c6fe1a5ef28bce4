import type { Usage } from '../../protocol/usage.ts';
import { moneyWords } from './money-words.ts';
import { count, plural } from './number-words.ts';

/** What a turn or a thread cost. */
export interface KnownCost {
  /** Absent: the provider counted nothing. */
  readonly usage?: Usage | undefined;
  /** Answers that it did not count. */
  readonly uncounted?: number | undefined;
}

/** `1,200 in (800 cached), 50 out, $0.012`; undefined where no request was answered. What is not known is not zero. */
export function costLine({ usage, uncounted = 0 }: KnownCost): string | undefined {
  if (usage === undefined) return uncounted === 0 ? undefined : uncountedTokens(0);
  const { total, estimated = 0 } = usage;
  const cost = usage.cost === undefined ? '' : `, ${moneyWords(usage.cost, estimated)}`;
  const tokens =
    total === 0 ? uncountedTokens(estimated) : `${usageWords(usage)}${uncountedWords(uncounted, estimated)}`;
  return `${tokens}${cost}`;
}

/** Tokens of which the provider counted none: as Capstan estimates them. 0: it did not. */
export function uncountedTokens(estimated: number): string {
  return estimated === 0 ? `not known ${whyNotKnown}` : `about ${count(estimated)} ${whyEstimated}`;
}

export const whyNotKnown = '(the provider did not count them)';
const whyEstimated = '(estimated: the provider did not count them)';

/** What a number of tokens lacks. */
export function uncountedWords(requests: number, estimated = 0): string {
  const about = estimated === 0 ? '' : ` (about ${count(estimated)} tokens)`;
  return requests === 0 ? '' : `, and ${plural(requests, 'request')} that the provider did not count${about}`;
}

function usageWords({ input, cachedInput, output }: Usage): string {
  return `${count(input)} in (${count(cachedInput)} cached), ${count(output)} out`;
}
