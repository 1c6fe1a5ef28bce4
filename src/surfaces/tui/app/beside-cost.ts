import { addUsage, noUsage, type Usage, usageSince } from '../../../protocol/usage.ts';

/**
 * What a conversation has cost beside its thread, as far as this window knows: turns that were taken back by going on
 * in a fork, and side conversations.
 */
export class BesideCost {
  #spent = noUsage;

  get spent(): Usage {
    return this.#spent;
  }

  /** Another thread counted so much when it began with what is shared, and so much at its end. */
  add(shared: Usage, all: Usage): void {
    this.#spent = addUsage(this.#spent, usageSince(shared, all));
  }

  /** Another conversation takes the place of this one. */
  clear(): void {
    this.#spent = noUsage;
  }
}
