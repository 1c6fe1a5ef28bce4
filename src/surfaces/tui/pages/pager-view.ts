import { keyHint } from '../screen/keys/key-map.ts';
import type { Frame, View } from '../screen/view.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cutRow, drawRow } from '../screen/text/draw-row.ts';
import { countColumns } from '../../../base/text-columns.ts';
import { type Look, wordsWithGlyphs } from '../screen/text/look.ts';
import { FindBar, markRow } from './find-bar.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';

export interface PagerOptions {
  readonly title: string;
  rows(look: Look): readonly string[];
  /** Rows to jump between, in order, such as messages of the user. */
  stops?(look: Look): readonly number[];
  readonly startsAtEnd?: true;
  /** Other keys; `hint` labels them in the last row. */
  readonly keys?: Readonly<Record<string, () => void>>;
  readonly hint?: string;
  /**
   * For texts that are slow to draw: draws more of the beginning before `rows` is called, and gives how many rows were
   * put before the earlier ones.
   */
  drawMore?(look: Look): { readonly added: number; readonly isWhole: boolean };
  readonly escape?: { readonly does: string; run(): void };
  seenEnd?(look: Look): void;
  close(): void;
}

export class PagerView implements View {
  readonly #options: PagerOptions;
  readonly #find = new FindBar();
  /** The first visible row; infinite: follow the end. */
  #from: number;
  #room = 1;
  /** The first visible row at the end, in the last frame. */
  #last = 0;
  #stops: readonly number[] = [];
  #showsFound = false;
  /** Stay at the beginning, whatever is drawn before it. */
  #isTop = false;
  #isWhole = true;

  constructor(options: PagerOptions) {
    this.#options = options;
    this.#from = options.startsAtEnd === true ? Infinity : 0;
  }

  get takesText(): boolean {
    return this.#find.isTyped;
  }

  frame(look: Look, height: number): Frame {
    const whole = { ...look, details: 'whole' } as const;
    const { added, isWhole } = this.#options.drawMore?.(whole) ?? { added: 0, isWhole: true };
    if (!this.#isTop) this.#from += added;
    this.#isWhole = isWhole;
    const all = this.#options.rows(whole);
    this.#stops = this.#options.stops?.(whole) ?? [];
    if (isWhole) this.#find.look(all);
    // A window of one or two rows shows the text alone, because what counts as seen must be drawn.
    const foot = height < 3 ? [] : this.#footRows(look, height);
    const heads = height < 2 ? 0 : 1;
    this.#room = Math.max(1, height - heads - foot.length);
    const last = Math.max(0, all.length - this.#room);
    this.#last = last;
    this.#bringFoundInSight();
    const from = Math.min(this.#from, last);
    // At the end, keep following it as rows are added.
    if (this.#from !== Infinity) this.#from = from;
    const shown = all.slice(from, from + this.#room);
    const blanks = Array.from({ length: Math.max(0, this.#room - shown.length) }, () => '');
    const drawn = (row: Row): string => drawRow(cutRow(row, look.width, look), look);
    const marked = look.colours === 'none' || !this.#find.isActive ? shown : this.#marked(shown, from);
    const cursor = this.#cursor(shown, from, look.width);
    if (isWhole && from === last) this.#options.seenEnd?.(look);
    const head = [drawn(this.#head(from, last))].slice(0, heads);
    const rows = [...head, ...marked, ...blanks, ...foot.map(drawn)];
    if (cursor === undefined) return { rows };
    return { rows, cursor: { ...cursor, row: Math.min(cursor.row, rows.length - 1) } };
  }

  #head(from: number, last: number): Row {
    const percent = last === 0 ? 100 : Math.round((100 * from) / last);
    const place = this.#isWhole ? `${percent} %` : 'drawing the beginning…';
    return [styled(this.#options.title, boldStyle), styled(`  ${place}`, dimStyle)];
  }

  /** The end of the keys is not cut off unless the window is very low. */
  #footRows(look: Look, height: number): readonly Row[] {
    if (this.#find.isTyped) return [this.#foot(look)];
    return wrapRow(this.#foot(look), { width: look.width }).slice(0, Math.max(1, Math.floor(height / 4)));
  }

  #foot(look: Look): Row {
    const { words, count, isTyped, isActive } = this.#find;
    if (isTyped) return [styled('/', boldStyle), plain(words), styled(`  ${count}`, dimStyle)];
    if (isActive) {
      return [plain(`/${words}`), styled(`  ${count} · n the next, N the one before · esc ends the search`, dimStyle)];
    }
    const { escape, stops, hint = '' } = this.#options;
    const parts = [
      ...closeHint(look),
      '/ finds',
      ...(stops === undefined ? [] : ['left and right: messages']),
      ...(escape === undefined ? [] : [`esc ${escape.does}`]),
      ...scrollHint(look),
    ];
    return [styled(wordsWithGlyphs(`${hint}${parts.join(' · ')}`, look), dimStyle)];
  }

  #marked(rows: readonly string[], from: number): readonly string[] {
    return rows.map((row, at) => {
      const marks = this.#find.marksIn(from + at);
      return marks.length === 0 ? row : markRow(row, marks);
    });
  }

  #cursor(shown: readonly string[], from: number, width: number): Frame['cursor'] {
    const column = (text: string): number => Math.min(width - 1, countColumns(text));
    if (this.#find.isTyped) return { row: this.#room + 1, column: column(`/${this.#find.words}`) };
    const found = this.#find.isActive ? this.#find.row : undefined;
    const row = found === undefined ? undefined : shown[found - from];
    return row === undefined ? undefined : { row: 1 + found! - from, column: column(this.#find.before(row)) };
  }

  #bringFoundInSight(): void {
    const { row } = this.#find;
    if (!this.#showsFound || row === undefined) return;
    this.#showsFound = false;
    const from = Math.min(this.#from, this.#last);
    if (row < from || row >= from + this.#room) this.#from = Math.max(0, row - Math.floor(this.#room / 2));
    else this.#from = from;
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') return this.#scroll(input.direction === 'up' ? -3 : 3);
    if (this.#find.isTyped) {
      if (this.#find.input(input)) this.#showsFound = true;
      return;
    }
    if (input.kind !== 'key') return;
    this.#isTop = false;
    const { name } = input;
    if (this.#find.isActive && this.#ofFind(name)) return;
    const page = this.#room;
    const own = this.#options.keys?.[name];
    if (own !== undefined) return own();
    switch (name) {
      case '/':
      case 'f3':
        return this.#find.begin(Math.min(this.#from, this.#last) + page - 1);
      case 'escape':
        return (this.#options.escape?.run ?? this.#options.close)();
      case 'q':
      case 'ctrl+c':
      case 'ctrl+t':
        return this.#options.close();
      case 'left':
      case '[':
        return this.#jump(-1);
      case 'right':
      case ']':
        return this.#jump(1);
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
        this.#isTop = true;
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

  #ofFind(name: string): boolean {
    if (name === 'escape') {
      this.#find.end();
      return true;
    }
    const isNext = ['n', 'f3', 'ctrl+n'].includes(name);
    if (!isNext && !['N', 'shift+f3', 'ctrl+p'].includes(name)) return false;
    this.#showsFound = isNext ? this.#find.newer() : this.#find.older();
    return true;
  }

  #jump(direction: -1 | 1): void {
    const from = Math.min(this.#from, this.#last);
    const next = direction === 1 ? this.#stops.find((row) => row > from) : this.#stops.findLast((row) => row < from);
    if (next !== undefined) this.#from = next;
  }

  #scroll(rows: number): void {
    const to = Math.max(0, Math.min(this.#from, this.#last) + rows);
    // Scrolling to the end follows it as rows are added.
    this.#from = rows > 0 && to >= this.#last ? Infinity : to;
  }
}

function scrollHint(look: Look): readonly string[] {
  const ids = ['scroll_up', 'scroll_down', 'page_up', 'page_down', 'jump_top', 'jump_bottom'];
  const keys = ids.map((id) => keyHint(look, `pager.${id}`, (key) => key)).filter((key) => key !== '');
  return keys.length === 0 ? [] : [keys.join(', ')];
}

function closeHint(look: Look): readonly string[] {
  return [`${keyHint(look, 'pager.close', (key) => key) || 'esc'} closes`];
}
