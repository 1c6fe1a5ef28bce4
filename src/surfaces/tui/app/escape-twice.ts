import { hintKeys } from '../keys/hint-keys.ts';
import type { TuiStage } from './stage.ts';

/** Esc in an empty composer: the first one says what the second one does. Any other key forgets the first. */
export class EscapeTwice {
  readonly #stage: TuiStage;
  /** What the empty composer said before. */
  #before: string | undefined;

  constructor(stage: TuiStage) {
    this.#stage = stage;
  }

  /** True: it is the second. */
  pressed(): boolean {
    if (this.reset()) return true;
    this.#before = this.#stage.placeholder;
    this.#stage.placeholder = `${hintKeys(this.#stage.look, 'composer')('Esc')} again: go back to an earlier message`;
    return false;
  }

  /** Whether there was a first. */
  reset(): boolean {
    if (this.#before === undefined) return false;
    this.#stage.placeholder = this.#before;
    this.#before = undefined;
    return true;
  }
}
