import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { Usage } from '../../protocol/usage.ts';
import { count } from '../wording/number-words.ts';
import { uncountedWords, whyNotKnown } from '../wording/usage-words.ts';

/** What a turn has cost, as far as the provider counted its requests. */
export class TurnCost {
  /** Tokens of the thread when the turn began. */
  #before = 0;
  #uncounted = 0;
  #isContinued = false;

  event(event: ThreadEvent): void {
    if (event.kind === 'turn-started') {
      this.#before = tokensIn(event.usage);
      this.#isContinued = event.isContinued === true;
      this.#uncounted = 0;
    }
    if (event.kind === 'usage' && event.last === undefined && event.refused === undefined) this.#uncounted++;
    if (event.kind === 'checkpoint-installed') this.#uncounted += event.report.uncounted ?? 0;
  }

  /** `500 in this turn, 2,590 in the thread`. What is not known is not zero. */
  words(thread: Usage): string {
    const all = tokensIn(thread);
    const spent = all - this.#before;
    const isKnown = spent > 0 || this.#uncounted === 0;
    const [tokens, rest] = isKnown ? [count(spent), uncountedWords(this.#uncounted)] : ['not known', ` ${whyNotKnown}`];
    if (this.#before === 0) return `${tokens}${rest}`;
    const since = this.#isContinued ? 'since the turn was continued' : 'in this turn';
    return `${tokens} ${since}${rest}, ${count(all)} in the thread`;
  }
}

/** What was not in the provider's cache. */
export function tokensIn({ input, cachedInput, output }: Usage): number {
  return input - cachedInput + output;
}
