import type { ThreadEvent } from '../../protocol/thread-event.ts';
import { noUsage, type Usage, usageSince, usedTokens } from '../../protocol/usage.ts';
import { moneyWords } from '../wording/money-words.ts';
import { count } from '../wording/number-words.ts';
import { uncountedTokens, uncountedWords } from '../wording/usage-words.ts';

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
    const { estimated = 0 } = usageSince(this.#before, thread);
    const spent = usedTokens(thread) - usedTokens(this.#before);
    const isKnown = spent > 0 || this.#uncounted === 0;
    const since = this.#isContinued ? 'since the turn was continued' : 'in this turn';
    const tokens = (when: string): string =>
      isKnown
        ? `${count(spent)}${when}${uncountedWords(this.#uncounted, estimated)}`
        : uncountedTokens(estimated).replace(' (', `${when} (`);
    if (isFirst(this.#before)) return `${tokens('')}${this.#cost(thread, undefined)}`;
    return `${tokens(` ${since}`)}, ${allWords(thread)} in the thread${this.#cost(thread, since)}`;
  }

  /** Nothing where no price is known: `capstan threads show` says so. */
  #cost(thread: Usage, since: string | undefined): string {
    if (thread.cost === undefined) return '';
    if (since === undefined) return `; ${moneyWords(thread.cost, thread.estimated)}`;
    const { cost, estimated } = usageSince(this.#before, thread);
    return `; ${moneyWords(cost, estimated)} ${since}, ${moneyWords(thread.cost, thread.estimated)} in the thread`;
  }
}

/** The thread had used nothing when the turn began. */
function isFirst(before: Usage): boolean {
  return usedTokens(before) + (before.estimated ?? 0) === 0;
}

function allWords(thread: Usage): string {
  const { estimated = 0 } = thread;
  const used = usedTokens(thread);
  return used === 0 && estimated > 0 ? `about ${count(estimated)}` : count(used);
}
