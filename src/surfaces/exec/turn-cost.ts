import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { noUsage, type Usage, usageSince, usedTokens } from '../../protocol/usage.ts';
import { moneyWords } from '../wording/money-words.ts';
import { count } from '../wording/number-words.ts';
import { uncountedWords, whyNotKnown } from '../wording/usage-words.ts';

/** What a turn has cost, as far as the provider counted its requests. */
export class TurnCost {
  /** Of the thread when the turn began. */
  #before = noUsage;
  #uncounted = 0;
  #isContinued = false;
  /** Another model continues: to the user it is the same turn. */
  #isPassedOn = false;

  event(event: ThreadEvent): void {
    if (event.kind === 'turn-failed') this.#isPassedOn = event.continuedBy !== undefined;
    if (event.kind === 'turn-started' && this.#isPassedOn) this.#isPassedOn = false;
    else if (event.kind === 'turn-started') {
      this.#before = event.usage;
      this.#isContinued = event.isContinued === true;
      this.#uncounted = 0;
    }
    if (event.kind === 'usage' && event.last === undefined && event.refused === undefined) this.#uncounted++;
    if (event.kind === 'checkpoint-installed') this.#uncounted += event.report.uncounted ?? 0;
  }

  /** `500 in this turn, 2,590 in the thread; $0.002 in this turn, $0.01 in the thread`. What is not known is not zero. */
  words(thread: Usage): string {
    const before = usedTokens(this.#before);
    const all = usedTokens(thread);
    const spent = all - before;
    const isKnown = spent > 0 || this.#uncounted === 0;
    const [tokens, rest] = isKnown ? [count(spent), uncountedWords(this.#uncounted)] : ['not known', ` ${whyNotKnown}`];
    const since = this.#isContinued ? 'since the turn was continued' : 'in this turn';
    if (before === 0) return `${tokens}${rest}${this.#cost(thread, undefined)}`;
    return `${tokens} ${since}${rest}, ${count(all)} in the thread${this.#cost(thread, since)}`;
  }

  /** Nothing where no price is known: `capstan threads show` says so. */
  #cost(thread: Usage, since: string | undefined): string {
    if (thread.cost === undefined) return '';
    if (since === undefined) return `; ${moneyWords(thread.cost)}`;
    const { cost } = usageSince(this.#before, thread);
    return `; ${moneyWords(cost)} ${since}, ${moneyWords(thread.cost)} in the thread`;
  }
}
