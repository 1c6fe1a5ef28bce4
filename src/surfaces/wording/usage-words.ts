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
  if (usage === undefined) return uncounted === 0 ? undefined : `not known ${whyNotKnown}`;
  const cost = usage.cost === undefined ? '' : `, ${moneyWords(usage.cost)}`;
  return `${usageWords(usage)}${uncountedWords(uncounted)}${cost}`;
}

export const whyNotKnown = '(the provider did not count them)';

/** What a number of tokens lacks. */
export function uncountedWords(requests: number): string {
  return requests === 0 ? '' : `, and ${plural(requests, 'request')} that the provider did not count`;
}

function usageWords({ input, cachedInput, output }: Usage): string {
  return `${count(input)} in (${count(cachedInput)} cached), ${count(output)} out`;
}
