import { hintKeys } from '../keys/hint-keys.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLine } from '../text/clean.ts';
import { columnsOf } from '../../../base/columns.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { View } from './view.ts';

export interface ItemsOptions<Id extends string> {
  readonly title: string;
  /** All there are, with what each says. */
  readonly about: Readonly<Record<Id, string>>;
  readonly chosen: readonly Id[];
  /** How it would look with these. */
  preview(chosen: readonly Id[], look: Look): Row;
  save(chosen: readonly Id[]): void;
  close(): void;
}

const mostRows = 10;

/** Items to pick and to put into an order, with a row that shows what comes of it. */
export class ItemsView<Id extends string> implements View {
  readonly #options: ItemsOptions<Id>;
  #chosen: readonly Id[];
  /** The picked ones first. It changes when the view is opened, not under the cursor. */
  #order: readonly Id[];
  #typed = '';
  #at = 0;

  constructor(options: ItemsOptions<Id>) {
    this.#options = options;
    this.#chosen = options.chosen;
    const all = Object.keys(options.about) as Id[];
    this.#order = [...options.chosen, ...all.filter((id) => !options.chosen.includes(id))];
  }

  get #found(): readonly Id[] {
    const wanted = this.#typed.toLowerCase();
    return this.#order.filter((id) => `${id} ${this.#options.about[id]}`.toLowerCase().includes(wanted));
  }

  frame(look: Look, height: number): Frame {
    const { title, preview } = this.#options;
    const found = this.#found;
    const { prompt } = glyphsOf(look);
    const key = hintKeys(look);
    const hint = `${key('Space')} picks, ${key('Left')} and ${key('Right')} move, ${key('Enter')} saves, ${key('Esc')} goes back`;
    const hints = wrapRow([styled(hint, dimStyle)], { width: look.width, first: [plain('  ')] });
    // Title, search, preview with an empty row above it, and the hint.
    const count = Math.max(1, Math.min(mostRows, height - 4 - hints.length, found.length));
    const from = Math.max(0, Math.min(this.#at - Math.floor(count / 2), found.length - count));
    const wide = Math.max(0, ...found.map((id) => id.length));
    const listed = found.slice(from, from + count).map((id, at) => this.#itemRow(id, from + at, wide, look));
    const drawn = (row: Row): string => drawRow(cutRow(row, look.width, look), look);
    const rows = [
      [plain('  '), styled(title, boldStyle)],
      [plain('  '), styled(`${prompt} `, dimStyle), plain(this.#typed)],
      ...(listed.length === 0 ? [[styled('  No matches.', dimStyle)]] : listed),
      ...hints,
      [],
    ].map(drawn);
    const cursor = { row: 1, column: Math.min(look.width - 1, 4 + columnsOf(this.#typed)) };
    return { rows: [...rows, drawn(preview(this.#chosen, look))].slice(0, Math.max(2, height)), cursor };
  }

  #itemRow(id: Id, at: number, wide: number, look: Look): Row {
    const { prompt, boxOpen, boxDone } = glyphsOf(look);
    const isHere = at === this.#at;
    return [
      styled(isHere ? `${prompt} ` : '  ', accentStyle),
      plain(`${this.#chosen.includes(id) ? boxDone : boxOpen} `),
      styled(id.padEnd(wide + 2), isHere ? { ...accentStyle, ...boldStyle } : {}),
      styled(cleanLine(this.#options.about[id]), dimStyle),
    ];
  }

  input(input: TerminalInput): void {
    if (input.kind !== 'key') return;
    const { name, text } = input;
    const last = Math.max(0, this.#found.length - 1);
    const here = this.#found[this.#at];
    if (name === 'escape' || name === 'ctrl+c') return this.#options.close();
    if (name === 'enter') return this.#options.save(this.#chosen);
    if (name === 'up' || name === 'ctrl+p') this.#at = this.#at === 0 ? last : this.#at - 1;
    else if (name === 'down' || name === 'ctrl+n') this.#at = this.#at >= last ? 0 : this.#at + 1;
    else if (name === 'backspace') this.#search(this.#typed.slice(0, -1));
    else if (name === 'space') this.#toggle(here);
    else if (name === 'left' || name === 'right') this.#move(here, name === 'left' ? -1 : 1);
    else if (text !== '') this.#search(this.#typed + text);
  }

  #search(typed: string): void {
    this.#typed = typed;
    this.#at = 0;
  }

  #toggle(id: Id | undefined): void {
    if (id === undefined) return;
    const isPicked = this.#chosen.includes(id);
    this.#chosen = isPicked ? this.#chosen.filter((each) => each !== id) : [...this.#chosen, id];
  }

  /** One place to the front or to the back, among those that are picked. The cursor goes with it. */
  #move(id: Id | undefined, by: 1 | -1): void {
    if (id === undefined) return;
    const from = this.#chosen.indexOf(id);
    const other = from < 0 ? undefined : this.#chosen[from + by];
    if (other === undefined) return;
    this.#chosen = swapped(this.#chosen, id, other);
    this.#order = swapped(this.#order, id, other);
    this.#at = Math.max(0, this.#found.indexOf(id));
  }
}

function swapped<Id>(list: readonly Id[], one: Id, other: Id): readonly Id[] {
  return list.map((each) => (each === one ? other : each === other ? one : each));
}
