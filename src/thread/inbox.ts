import type { Settings } from '../envelope/settings.ts';
import type { CompactionResult } from './compaction-result.ts';
import type { Item } from '../protocol/item.ts';
import type { UserInput } from '../protocol/user-input.ts';

/** Something that arrived while a turn was running, or before the next one began. */
export type Mail =
  | { readonly kind: 'words'; readonly input: UserInput }
  /** An item that a program puts into history as it is. */
  | { readonly kind: 'item'; readonly item: Item };

/** Somebody wants history to be folded at the next place where that can be done. */
export interface CompactionWish {
  readonly focus?: string;
  readonly signal: AbortSignal;
  /** What it was submitted under: wishes with the same can be served together. */
  readonly settings: Promise<Settings>;
  settle(result: CompactionResult | Promise<CompactionResult>): void;
}

/** What waits to enter history, oldest first. It is drained at the head of the loop and when the turn ends. */
export class Inbox {
  #waiting: Mail[] = [];
  #wishes: CompactionWish[] = [];
  /** Wishes that the turn did not come to. No other turn takes them: they have a place of their own. */
  #missed: CompactionWish[] = [];

  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  get waiting(): readonly Mail[] {
    return this.#waiting;
  }

  /** Whether a compaction waits that the turn which ran when it was asked for did not make. */
  get hasMissed(): boolean {
    return this.#missed.length > 0;
  }

  put(mail: Mail): void {
    this.#waiting.push(mail);
  }

  take(): readonly Mail[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  wish(wish: CompactionWish): void {
    this.#wishes.push(wish);
    const giveUp = (): void => {
      if (!this.#wishes.includes(wish) && !this.#missed.includes(wish)) return;
      this.#wishes = this.#wishes.filter((each) => each !== wish);
      this.#missed = this.#missed.filter((each) => each !== wish);
      wish.settle({ kind: 'aborted' });
    };
    if (wish.signal.aborted) giveUp();
    else wish.signal.addEventListener('abort', giveUp, { once: true });
  }

  /** The compaction that the turn which runs is asked to make. */
  takeWishes(): JoinedWishes | undefined {
    const wishes = this.#wishes;
    this.#wishes = [];
    return joined(wishes);
  }

  /** The turn is over. */
  missWishes(): void {
    this.#missed = [...this.#missed, ...this.#wishes];
    this.#wishes = [];
  }

  /** The compaction that was missed, of all that were submitted under the same settings. */
  takeMissed(settings: Promise<Settings>): JoinedWishes | undefined {
    const wishes = this.#missed.filter((wish) => wish.settings === settings);
    this.#missed = this.#missed.filter((wish) => wish.settings !== settings);
    return joined(wishes);
  }
}

type JoinedWishes = Omit<CompactionWish, 'settings'>;

/**
 * One compaction serves all that wished for one; what each wants to be kept in view is joined. It is given up when all
 * of them have given up.
 */
function joined(wishes: readonly CompactionWish[]): JoinedWishes | undefined {
  if (wishes.length === 0) return undefined;
  const focus = wishes.flatMap((wish) => wish.focus ?? []).join('\n');
  return {
    ...(focus === '' ? {} : { focus }),
    signal: allOf(wishes.map(({ signal }) => signal)),
    settle: (result) => {
      for (const wish of wishes) wish.settle(result);
    },
  };
}

/** Aborts when all of them have. */
function allOf(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController();
  for (const signal of signals) {
    const look = (): void => {
      if (signals.every(({ aborted }) => aborted)) all.abort(signal.reason);
    };
    signal.addEventListener('abort', look, { once: true });
  }
  return all.signal;
}
