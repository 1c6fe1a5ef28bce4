import { keyTable } from '../pages/list-parts.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { drawCutRow } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { accentStyle, badStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import type { Composer } from './composer.ts';
import type { Draft } from './draft.ts';

export interface ReverseSearchParts {
  readonly composer: Pick<Composer, 'draft' | 'preview' | 'history' | 'lend' | 'regain'>;
  changed(): void;
  close(): void;
}

/** Searches sent messages. The match is shown in the composer, but becomes the draft only when the user takes it. */
export class ReverseSearch {
  readonly #parts: ReverseSearchParts;
  readonly #before: Draft;
  #typed = '';
  #at = 0;
  #found: readonly Draft[] = [];
  #isLoading = false;
  /** The user asked for an older match than those known. */
  #wantsOlder = false;
  #isOver = false;
  readonly #keys = keyTable<() => void>({
    'ctrl+r up': () => this.#older(),
    'ctrl+s down': () => {
      this.#at = Math.max(0, this.#at - 1);
      this.#preview();
    },
    'escape ctrl+c ctrl+g': () => this.#end(undefined),
    enter: () => this.#end(this.#shown),
    'backspace ctrl+h': () => this.#type([...this.#typed].slice(0, -1).join('')),
    'ctrl+u': () => this.#type(''),
  });

  constructor(parts: ReverseSearchParts) {
    this.#parts = parts;
    this.#before = parts.composer.lend();
  }

  /** False: the input is for the composer. If it was a key, the search is over. */
  input(input: TerminalInput): boolean {
    if (input.kind !== 'paste' && input.kind !== 'key') return false;
    const act = input.kind === 'key' ? this.#keys.get(input.name) : undefined;
    const isText = input.kind === 'paste' || input.text !== '';
    if (act !== undefined) act();
    else if (isText) this.#type(this.#typed + cleanLine(input.text));
    else this.#end(this.#shown);
    return act !== undefined || isText;
  }

  rows(look: Look): readonly string[] {
    const { state } = this.#parts.composer.history;
    const isMissing = this.#typed !== '' && this.#shown === undefined;
    const note = state === 'unavailable' ? ' (earlier messages are unavailable)' : isMissing ? ' no match' : '';
    const hint = `type to search earlier messages, ${hintKeyMapper(look, 'composer')('Esc')} goes back`;
    const row: Row = [
      styled('  reverse-i-search: ', dimStyle),
      styled(this.#typed, accentStyle),
      styled(this.#isLoading ? ' searching' : note, isMissing ? badStyle : dimStyle),
      plain(this.#typed === '' ? hint : ''),
    ];
    return [drawCutRow(row, look)];
  }

  get #shown(): Draft | undefined {
    return this.#found[this.#at];
  }

  #type(typed: string): void {
    this.#typed = typed;
    this.#at = 0;
    this.#wantsOlder = false;
    this.#found = typed === '' ? [] : this.#parts.composer.history.search(typed);
    this.#preview();
    if (typed !== '' && this.#found.length === 0) void this.#lookFurther();
  }

  #older(): void {
    if (this.#typed === '') return;
    if (this.#at < this.#found.length - 1) this.#at++;
    else {
      this.#wantsOlder = this.#found.length > 0;
      void this.#lookFurther();
    }
    this.#preview();
  }

  async #lookFurther(): Promise<void> {
    if (this.#isLoading) return;
    const { composer, changed } = this.#parts;
    const { history } = composer;
    this.#isLoading = true;
    changed();
    while (history.state === 'more' && !this.#isOver) {
      await history.load();
      const found = this.#typed === '' ? [] : history.search(this.#typed);
      const isMore = found.length > this.#found.length;
      this.#found = found;
      if (this.#typed === '' || !isMore) continue;
      if (this.#wantsOlder) this.#at++;
      this.#wantsOlder = false;
      break;
    }
    this.#isLoading = false;
    if (this.#isOver) return;
    this.#preview();
    changed();
  }

  #preview(): void {
    this.#parts.composer.preview(this.#shown ?? this.#before);
  }

  /** Restores the exact former draft unless a match was taken. */
  #end(taken: Draft | undefined): void {
    const { composer, close } = this.#parts;
    this.#isOver = true;
    composer.preview(this.#before);
    if (taken !== undefined) composer.draft = taken;
    composer.regain();
    close();
  }
}
