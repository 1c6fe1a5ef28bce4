import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import type { Row } from '../text/style.ts';
import { type ListOptions, ListView } from './list-view.ts';
import type { View } from './view.ts';

export interface DetailedOptions extends ListOptions {
  /** Below the list, about the item that is chosen, in rows that fit. Undefined: no item fits what was typed. */
  details(index: number | undefined, look: Look): readonly Row[];
  /** What is no key. */
  reported?(input: TerminalInput): void;
}

/** At least so many rows are the list's. */
const leastList = 6;

/** A list with rows below it about what the cursor is at. */
export class DetailedList implements View {
  readonly takesText: boolean;
  readonly #options: DetailedOptions;
  readonly #list: ListView;

  constructor(options: DetailedOptions) {
    this.#options = options;
    this.#list = new ListView(options);
    this.takesText = options.isSearched === true;
  }

  /** Other items: what was typed stays. */
  update(change: Partial<Pick<ListOptions, 'items'>>): void {
    this.#list.update(change);
  }

  frame(look: Look, height: number): Frame {
    const about = this.#options.details(this.#list.chosen, look);
    const details = [[], ...about].map((row) => drawRow(cutRow(row, look.width, look), look));
    const { rows, cursor } = this.#list.frame(look, Math.max(leastList, height - details.length));
    const all = [...rows, ...details].slice(0, Math.max(2, height));
    return cursor === undefined ? { rows: all } : { rows: all, cursor };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'key' || input.kind === 'paste') this.#list.input(input);
    else this.#options.reported?.(input);
  }
}
