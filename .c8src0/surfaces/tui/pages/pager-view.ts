import { countColumns } from '../../../base/text-columns.ts';
import { keyHint } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { type Look, replaceGlyphs } from '../screen/text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { Frame, View } from '../screen/view.ts';
import { FindBar, markRow } from './find-bar.ts';
import { drawCutRows, footRows, keyTable } from './list-parts.ts';

export interface PagerOptions {
  readonly title: string;
  rows(look: Look): readonly string[];
  /** Rows to jump between, in order, such as messages of the user. */
  stops?(look: Look): readonly number[];
  readonly startsAtEnd?: true;
  /** Other keys; `hint` labels them in the last row. */
  readonly keys?: Readonly<Record<string, () => void>>;
  readonly hint?: string;
  /** For slow texts: draws more of the beginning. `added`: number of rows that are now above the earlier ones. */
  drawMore?(look: Look): { readonly added: number; readonly isWhole: boolean };
  readonly escape?: { readonly does: string; run(): void };
  seenEnd?(look: Look): void;
  close(): void;
}

export class PagerView implements View {
  readonly #options: PagerOptions;
  readonly #find = new FindBar();
  /** The first visible row; infinite while the view follows the end. */
  #from: number;
  #room = 1;
  /** In the last frame: the first visible row of a view that is scrolled to its end. */
  #last = 0;
  #stops: readonly number[] = [];
  #showsFound = false;
  /** Keep showing the first row, even while more rows are put before it. */
  #isTop = false;
  #isWhole = true;
  readonly #keys = keyTable({
    '/ f3': () => this.#find.begin(this.#shownFrom + this.#room - 1),
    escape: () => (this.#options.escape?.run ?? this.#options.close)(),
    'q ctrl+c ctrl+t': () => this.#options.close(),
    'left [': () => this.#jump(this.#stops.findLast((row) => row < this.#shownFrom)),
    'right ]': () => this.#jump(this.#stops.find((row) => row > this.#shownFrom)),
    'up k': () => this.#scroll(-1),
    'down j': () => this.#scroll(1),
    'pageup ctrl+b': () => this.#scroll(-this.#room),
    'pagedown space ctrl+f': () => this.#scroll(this.#room),
    'ctrl+u': () => this.#scroll(-Math.floor(this.#room / 2)),
    'ctrl+d': () => this.#scroll(Math.floor(this.#room / 2)),
    'home g': () => {
      this.#isTop = true;
      this.#from = 0;
    },
    'end G': () => this.#jump(Infinity),
  });
  readonly #findKeys = keyTable({
    escape: () => this.#find.end(),
    'n f3 ctrl+n': () => (this.#showsFound = this.#find.newer()),
    'N shift+f3 ctrl+p': () => (this.#showsFound = this.#find.older()),
  });

  constructor(options: PagerOptions) {
    this.#options = options;
    this.#from = options.startsAtEnd === true ? Infinity : 0;
  }

  get takesText(): boolean {
    return this.#find.isTyped;
  }
  get #shownFrom(): number {
    return Math.min(this.#from, this.#last);
  }

  frame(look: Look, height: number): Frame {
    const whole = { ...look, details: 'whole' } as const;
    const { added, isWhole } = this.#options.drawMore?.(whole) ?? { added: 0, isWhole: true };
    if (!this.#isTop) this.#from += added;
    this.#isWhole = isWhole;
    const all = this.#options.rows(whole);
    this.#stops = this.#options.stops?.(whole) ?? [];
    if (isWhole) this.#find.look(all);
    // A window of one or two rows shows only the text: rows that count as seen must be drawn.
    const foot = height < 3 ? [] : this.#footRows(look, height);
    const heads = height < 2 ? 0 : 1;
    this.#room = Math.max(1, height - heads - foot.length);
    const last = Math.max(0, all.length - this.#room);
    this.#last = last;
    this.#bringFoundInSight();
    const from = this.#shownFrom;
    // At the end, keep following it as rows are added.
    if (this.#from !== Infinity) this.#from = from;
    const shown = all.slice(from, from + this.#room);
    const blanks = Array.from({ length: Math.max(0, this.#room - shown.length) }, () => '');
    const marked = look.colours === 'none' || !this.#find.isActive ? shown : this.#marked(shown, from);
    const cursor = this.#cursor(shown, from, look.width);
    if (isWhole && from === last) this.#options.seenEnd?.(look);
    const head = drawCutRows([this.#head(from, last)], look).slice(0, heads);
    const rows = [...head, ...marked, ...blanks, ...drawCutRows(foot, look)];
    return { rows, cursor: cursor && { ...cursor, row: Math.min(cursor.row, rows.length - 1) } };
  }

  #head(from: number, last: number): Row {
    const percent = last === 0 ? 100 : Math.round((100 * from) / last);
    const place = this.#isWhole ? `${percent} %` : 'drawing the beginning…';
    return [styled(this.#options.title, boldStyle), styled(`  ${place}`, dimStyle)];
  }

  #footRows(look: Look, height: number): readonly Row[] {
    const { words, count, isTyped, isActive } = this.#find;
    if (isTyped) return [[styled('/', boldStyle), plain(words), styled(`  ${count}`, dimStyle)]];
    const ends = `  ${count} · n the next, N the one before · esc ends the search`;
    return footRows(isActive ? [plain(`/${words}`), styled(ends, dimStyle)] : this.#hints(look), look, height);
  }

  #hints(look: Look): Row {
    const { escape, stops, hint = '' } = this.#options;
    const keyOf = (id: string): string => keyHint(look, `pager.${id}`, (key) => key);
    const scroll = ['scroll_up', 'scroll_down', 'page_up', 'page_down', 'jump_top', 'jump_bottom'].map(keyOf);
    const parts = [
      `${keyOf('close') || 'esc'} closes`,
      '/ finds',
      stops && 'left and right: messages',
      escape && `esc ${escape.does}`,
      scroll.filter((key) => key !== '').join(', '),
    ];
    return [styled(replaceGlyphs(hint + parts.filter(Boolean).join(' · '), look), dimStyle)];
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
    const from = this.#shownFrom;
    const isInSight = row >= from && row < from + this.#room;
    this.#from = isInSight ? from : Math.max(0, row - Math.floor(this.#room / 2));
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
    const ofFind = this.#find.isActive ? this.#findKeys.get(name) : undefined;
    (ofFind ?? this.#options.keys?.[name] ?? this.#keys.get(name))?.();
  }

  #jump(row: number | undefined): void {
    if (row !== undefined) this.#from = row;
  }

  #scroll(rows: number): void {
    const to = Math.max(0, this.#shownFrom + rows);
    // Scrolling to the end follows it as rows are added.
    this.#from = rows > 0 && to >= this.#last ? Infinity : to;
  }
}

/** Opens a page with the whole screen. */
export function openPage(stage: Pick<TuiScreen, 'openPager'>, page: Omit<PagerOptions, 'close'>): void {
  stage.openPager(new PagerView({ ...page, close: () => stage.openPager(undefined) }));
}
