import { burstSilence, PasteBurst } from '../composer/paste-burst.ts';
import { replaceIn } from '../composer/draft.ts';
import { isLongPaste, pasteInto } from '../composer/paste.ts';
import { keyPress, type KeyPress } from '../screen/terminal-input.ts';
import { pastedPicture } from './pasted-picture.ts';
import type { TuiStage } from './stage.ts';

/** Keys of a terminal that does not mark what is pasted. */
export class BurstKeys {
  readonly #stage: Pick<TuiStage, 'composer' | 'draw' | 'look'>;
  readonly #burst: PasteBurst;
  readonly #silenceMs = burstSilence(process.platform);
  #timer: NodeJS.Timeout | undefined;

  constructor(stage: Pick<TuiStage, 'composer' | 'draw' | 'look'>) {
    this.#stage = stage;
    this.#burst = new PasteBurst(() => stage.look.now);
  }

  /** True: the key was part of a paste, and is in the draft. */
  input({ name, text }: KeyPress): boolean {
    const { composer } = this.#stage;
    const burst = this.#burst;
    const isEnter = name === 'enter' && burst.takesEnter && !isSlash(composer.draft.text);
    if (isEnter || (name === 'tab' && burst.isRunning)) {
      const sign = isEnter ? '\n' : '\t';
      burst.typed(sign);
      composer.input(isEnter ? keyPress('j', { ctrl: true }) : { kind: 'key', name: 'text', text: sign });
      this.#wait();
      return true;
    }
    if (text === '') this.#flush('clear');
    else {
      burst.typed(text);
      this.#wait();
    }
    return false;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush('end'), this.#silenceMs + 1);
  }

  /** What came in one go becomes what a paste becomes. */
  #flush(how: 'end' | 'clear'): void {
    clearTimeout(this.#timer);
    const run = this.#burst.end();
    if (how === 'clear') this.#burst.clear();
    const { composer } = this.#stage;
    const { draft } = composer;
    const from = draft.cursor - run.length;
    const isThere = draft.text.slice(Math.max(0, from), draft.cursor) === run;
    if (run === '' || !isThere || draft.elements.some(({ end }) => end > from && end <= draft.cursor)) return;
    const without = replaceIn(draft, [from, draft.cursor], '');
    const folded = pastedPicture(without, run, process.env) ?? (isLongPaste(run) ? pasteInto(without, run) : undefined);
    if (folded === undefined) return;
    composer.draft = folded;
    this.#stage.draw();
  }
}

/** A script may type a command and Enter at once. */
function isSlash(text: string): boolean {
  return text.startsWith('/') && !text.includes('\n');
}
