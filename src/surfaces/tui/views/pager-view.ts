import { keyHint } from '../keys/key-map.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { boldStyle, dimStyle, type Row, styled } from '../text/style.ts';
import type { View } from './view.ts';

export interface PagerOptions {
  readonly title: string;
  /** All rows of it; they fit the width. */
  rows(look: Look): readonly string[];
  readonly startsAtEnd?: true;
  /** What other keys do, and what the last row says of them. */
  readonly keys?: Readonly<Record<string, () => void>>;
  readonly hint?: string;
  close(): void;
}

/** A long text on a screen of its own. */
export class PagerView implements View {
  readonly #options: PagerOptions;
  /** The first row in sight; infinite: the end. */
  #from: number;
  #room = 1;
  /** The first row in sight at the end, when it was drawn last. */
  #last = 0;

  constructor(options: PagerOptions) {
    this.#options = options;
    this.#from = options.startsAtEnd === true ? Infinity : 0;
  }

  frame(look: Look, height: number): Frame {
    const { title, hint = '' } = this.#options;
    const all = this.#options.rows({ ...look, details: 'whole' });
    this.#room = Math.max(1, height - 2);
    const last = Math.max(0, all.length - this.#room);
    const from = Math.min(this.#from, last);
    this.#last = last;
    // At the end it stays at the end, whatever is added.
    if (this.#from !== Infinity) this.#from = from;
    const shown = all.slice(from, from + this.#room);
    const percent = last === 0 ? 100 : Math.round((100 * from) / last);
    const head: Row = [styled(title, boldStyle), styled(`  ${percent} %`, dimStyle)];
    const foot: Row = [styled(`${hint}${scrollHint(look)}`, dimStyle)];
    const blanks = Array.from({ length: Math.max(0, this.#room - shown.length) }, () => '');
    const drawn = (row: Row): string => drawRow(cutRow(row, look.width, look), look);
    return { rows: [drawn(head), ...shown, ...blanks, drawn(foot)] };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') return this.#scroll(input.direction === 'up' ? -3 : 3);
    if (input.kind !== 'key') return;
    const page = this.#room;
    const own = this.#options.keys?.[input.name];
    if (own !== undefined) return own();
    switch (input.name) {
      case 'q':
      case 'escape':
      case 'ctrl+c':
      case 'ctrl+t':
        return this.#options.close();
      case 'up':
      case 'k':
        return this.#scroll(-1);
      case 'down':
      case 'j':
        return this.#scroll(1);
      case 'pageup':
      case 'ctrl+b':
        return this.#scroll(-page);
      case 'pagedown':
      case 'space':
      case 'ctrl+f':
        return this.#scroll(page);
      case 'ctrl+u':
        return this.#scroll(-Math.floor(page / 2));
      case 'ctrl+d':
        return this.#scroll(Math.floor(page / 2));
      case 'home':
      case 'g':
        this.#from = 0;
        return;
      case 'end':
      case 'G':
        this.#from = Infinity;
        return;
      default:
        return;
    }
  }

  #scroll(rows: number): void {
    this.#from = Math.max(0, Math.min(this.#from, this.#last) + rows);
  }
}

/** With the keys as they are bound. */
function scrollHint(look: Look): string {
  const both = (one: string, other: string): string =>
    [one, other]
      .map((id) => keyHint(look, `pager.${id}`, (key) => key))
      .filter((key) => key !== '')
      .join(' and ');
  const scrolls = [both('scroll_up', 'scroll_down'), both('page_up', 'page_down'), both('jump_top', 'jump_bottom')];
  const listed = scrolls.filter((keys) => keys !== '').join(', ');
  const closes = keyHint(look, 'pager.close', (key) => key) || 'esc';
  return `${closes} closes${listed === '' ? '' : ` · ${listed} scroll`}`;
}
