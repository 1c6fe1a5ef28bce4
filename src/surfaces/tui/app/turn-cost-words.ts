import { type Usage, usageSince } from '../../../protocol/usage.ts';
import { moneyWords } from '../../wording/money-words.ts';

/** What a turn cost. Nothing where no price is known. */
export function turnCostWords(before: Usage | undefined, now: Usage | undefined): readonly string[] {
  if (before === undefined || now?.cost === undefined) return [];
  const { cost, estimated } = usageSince(before, now);
  return cost === undefined ? [] : [moneyWords(cost, estimated)];
}
