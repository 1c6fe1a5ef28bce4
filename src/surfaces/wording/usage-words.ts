import type { Usage } from '../../protocol/usage.ts';
import { count } from './number-words.ts';

/** What a turn or a thread cost: `1,200 in (800 cached), 50 out`. */
export function usageWords({ input, cachedInput, output }: Usage): string {
  return `${count(input)} in (${count(cachedInput)} cached), ${count(output)} out`;
}
