import { hintKeys } from '../keys/hint-keys.ts';
import type { TuiStage } from './stage.ts';

/** Keys that do something when they are pressed a second time: the empty composer says so after the first. Any other key forgets it. */
export class PressedAgain {
  readonly #stage: TuiStage;
  #first: { readonly key: string; readonly placeholder: string } | undefined;

  constructor(stage: TuiStage) {
    this.#stage = stage;
  }

  /** True: it is the second time. */
  pressed(key: 'Esc' | 'Ctrl+C', does: string): boolean {
    const isSecond = this.#first?.key === key;
    this.reset();
    if (isSecond) return true;
    this.#first = { key, placeholder: this.#stage.placeholder };
    this.#stage.placeholder = `${hintKeys(this.#stage.look, 'composer')(key)} again: ${does}`;
    return false;
  }

  reset(): void {
    if (this.#first !== undefined) this.#stage.placeholder = this.#first.placeholder;
    this.#first = undefined;
  }
}
