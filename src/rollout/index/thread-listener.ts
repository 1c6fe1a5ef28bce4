import type { ReadReport } from '../../ports/rollout-store.ts';
import type { Line } from '../../protocol/line.ts';
import { spokenWords } from '../../state/spoken-words.ts';
import { countTurns } from '../../state/turns.ts';
import { foldBlanks } from './search-terms.ts';
import { foldListed, type ThreadFold } from './thread-fold.ts';

export interface SpokenMessage {
  readonly turn: number;
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** More of one message is not searched. */
const longestMessage = 100_000;

/** Folds lines and collects what is said in them. */
export class ThreadListener {
  fold: ThreadFold;
  messages: SpokenMessage[] = [];
  keptTurns: number;

  constructor(fold: ThreadFold, knowsMessages: boolean) {
    this.fold = fold;
    this.keptTurns = knowsMessages ? Number.MAX_SAFE_INTEGER : 0;
  }

  async hear(lines: AsyncGenerator<Line, ReadReport>): Promise<void> {
    for await (const line of lines) {
      const words = spokenWords(line);
      const had = countTurns(this.fold.log);
      this.fold = foldListed(this.fold, line, words);
      const [turns, { ownFrom = 0 }] = [countTurns(this.fold.log), this.fold.log];
      if (turns < had) {
        this.messages = this.messages.filter(({ turn }) => turn <= turns);
        this.keptTurns = Math.min(this.keptTurns, turns);
      }
      const isOwn = (line.ordinal ?? ownFrom) >= ownFrom;
      if (words === undefined || !isOwn || turns === 0) continue;
      const { role } = words;
      const text = foldBlanks(words.text.slice(0, longestMessage));
      // Old files say everything twice.
      const isKnown = this.messages.slice(-8).some((m) => m.turn === turns && m.role === role && m.text === text);
      if (!isKnown) this.messages.push({ turn: turns, role, text });
    }
  }
}
