import type { Draft } from '../draft.ts';
import type { ModalKeys, PressedSign } from '../modal-keys.ts';
import type { VimStep } from './vim-change.ts';
import { vimKey, type VimKeyOptions } from './vim-key.ts';
import { firstVimState, remember, searchWords, type VimState } from './vim-state.ts';
import { settled } from './vim-text.ts';

/** Vim mode of the composer: what was typed of a command, and what can be taken back. */
export class VimMode implements ModalKeys {
  #state: VimState = firstVimState;
  /** The draft after the last key. Another one has come by other ways, such as a paste. */
  #known: Draft | undefined;

  get mode(): VimState['mode'] {
    return this.#state.mode;
  }

  get search(): string | undefined {
    return searchWords(this.#state);
  }

  press({ name }: PressedSign, draft: Draft, options: VimKeyOptions): VimStep {
    const known = this.#known;
    if (this.mode === 'normal' && known !== undefined && known.text !== draft.text) {
      this.#state = remember(this.#state, known);
    }
    const step = vimKey(this.#state, draft, name, options);
    this.#state = step.state;
    return step;
  }

  shown(draft: Draft): void {
    this.#known = draft;
  }

  settled(draft: Draft): Draft {
    return this.mode === 'normal' ? settled(draft) : draft;
  }

  reset(): void {
    const { slice, find, search, change } = this.#state;
    this.#state = { ...firstVimState, slice, find, search, change };
    this.#known = undefined;
  }
}
