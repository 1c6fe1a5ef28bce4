import type { Item } from '../protocol/item.ts';
import type { UserInput } from '../protocol/user-input.ts';

/** Something that arrived while a turn was running, or before the next one began. */
export type Mail =
  | { readonly kind: 'words'; readonly input: UserInput }
  /** An item that a program puts into history as it is. */
  | { readonly kind: 'item'; readonly item: Item };

/** What waits to enter history, oldest first. It is drained at the head of the loop and when the turn ends. */
export class Inbox {
  #waiting: Mail[] = [];

  get pending(): boolean {
    return this.#waiting.length > 0;
  }

  put(mail: Mail): void {
    this.#waiting.push(mail);
  }

  take(): readonly Mail[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
