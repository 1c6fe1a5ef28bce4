import { countColumns } from '../../../base/text-columns.ts';
import { hintKeys } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine, cleanLines } from '../screen/text/clean-text.ts';
import { cutRow, drawRow, rowColumns } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look, wordsWithGlyphs } from '../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import type { Frame, View } from '../screen/view.ts';

interface OpenPage {
  readonly page: BrowsePage;
  at: number;
  from: number;
  /** Rows of a text from the last frame, and the look that they were drawn for. */
  drawn?: { readonly key: string; readonly rows: readonly Row[] };
}

/** Rows of a list that stay visible, however much is above it. */
const leastRows = 4;

export class BrowseView implements View {
  readonly #close: () => void;
  readonly #opened: OpenPage[];
  #room = 1;

  constructor(page: BrowsePage, close: () => void) {
    this.#close = close;
    this.#opened = [{ page, at: 0, from: 0 }];
  }

  replace(page: BrowsePage): void {
    const { at, from } = this.#opened.pop() ?? { at: 0, from: 0 };
    this.#opened.push({ page, at, from });
  }

  reset(page: BrowsePage): void {
    this.#opened.splice(0, Infinity, { page, at: 0, from: 0 });
  }

  open(page: BrowsePage): void {
    this.#opened.push({ page, at: 0, from: 0 });
  }

  back(): void {
    if (this.#opened.length === 1) this.#close();
    else this.#opened.pop();
  }

  frame(look: Look, height: number): Frame {
    const opened = this.#opened.at(-1)!;
    const { page } = opened;
    // The end of the keys is not cut off unless the window is very low.
    const foot = wrapRow(this.#foot(opened, look), { width: look.width }).slice(0, Math.max(1, Math.floor(height / 4)));
    const middle = Math.max(1, height - 1 - foot.length);
    const rows = page.kind === 'list' ? this.#list(opened, page, look, middle) : this.#text(opened, page, look, middle);
    const title = this.#opened.map((each) => each.page.title).join(` ${glyphsOf(look).prompt} `);
    const place = placeWords(opened, this.#room, page);
    const head: Row = [styled(title, boldStyle), styled(place, dimStyle)];
    const blanks = Array.from({ length: Math.max(0, middle - rows.length) }, (): Row => []);
    const all = [head, ...rows, ...blanks, ...foot];
    return { rows: all.slice(0, Math.max(1, height)).map((row) => drawRow(cutRow(row, look.width, look), look)) };
  }

  #list(opened: OpenPage, page: BrowseList, look: Look, height: number): readonly Row[] {
    const above = page.head?.(look) ?? [];
    const wanted = Math.min(Math.max(1, page.length), leastRows);
    const head = above.slice(0, Math.max(0, height - wanted));
    this.#room = Math.max(1, height - head.length);
    opened.at = Math.max(0, Math.min(opened.at, page.length - 1));
    const last = Math.max(0, page.length - this.#room);
    opened.from = Math.min(last, Math.max(opened.at - this.#room + 1, Math.min(opened.from, opened.at)));
    if (page.length === 0) return [...head, [styled(`  ${page.empty ?? 'Nothing.'}`, dimStyle)]];
    const count = Math.min(this.#room, page.length - opened.from);
    const { prompt } = glyphsOf(look);
    const inner = { ...look, width: Math.max(1, look.width - 2) };
    const rows = Array.from({ length: count }, (_, offset): Row => {
      const index = opened.from + offset;
      const isChosen = index === opened.at;
      const row = page.row(index, inner);
      return isChosen
        ? [styled(`${prompt} `, accentStyle), ...row.map(({ text, style }) => styled(text, { ...chosen, ...style }))]
        : [plain('  '), ...row];
    });
    return [...head, ...rows];
  }

  #text(opened: OpenPage, page: BrowseText, look: Look, height: number): readonly Row[] {
    const key = [look.width, look.colours, look.palette, look.glyphs].join(' ');
    if (opened.drawn?.key !== key) opened.drawn = { key, rows: page.rows({ ...look, details: 'whole' }) };
    const { rows } = opened.drawn;
    this.#room = height;
    opened.from = Math.max(0, Math.min(opened.from, rows.length - height));
    return rows.slice(opened.from, opened.from + height);
  }

  #foot({ page, at }: OpenPage, look: Look): Row {
    const { dot } = glyphsOf(look);
    const key = hintKeys(look, 'pager');
    const goesBack = `${key('Esc')} ${this.#opened.length > 1 ? 'goes back' : 'closes'}`;
    const opens =
      page.kind === 'list' && page.open !== undefined && page.length > 0 && page.opens?.(at) !== false
        ? [`${key('Enter')} ${page.enter ?? 'opens'}`]
        : [];
    const acts = (page.actions ?? []).map((action) => `${key(action.key)} ${action.does}`);
    return [styled([...acts, ...opens, goesBack, `${key('q')} closes`].join(` ${dot} `), dimStyle)];
  }

  input(input: TerminalInput): void {
    const opened = this.#opened.at(-1)!;
    if (input.kind === 'wheel') return this.#move(opened, input.direction === 'up' ? -3 : 3);
    if (input.kind !== 'key') return;
    const { page } = opened;
    const action = page.actions?.find(({ key }) => key === input.name);
    if (action !== undefined) return page.kind === 'list' && page.length === 0 ? undefined : action.press(opened.at);
    switch (input.name) {
      case 'q':
      case 'ctrl+c':
        return this.#close();
      case 'escape':
      case 'left':
      case 'backspace':
        return this.back();
      case 'enter':
      case 'right':
        return this.#enter(opened);
      case 'up':
      case 'ctrl+p':
      case 'k':
        return this.#move(opened, -1);
      case 'down':
      case 'ctrl+n':
      case 'j':
        return this.#move(opened, 1);
      case 'pageup':
      case 'ctrl+b':
        return this.#move(opened, -this.#room);
      case 'pagedown':
      case 'ctrl+f':
      case 'space':
        return this.#move(opened, this.#room);
      case 'home':
      case 'g':
        return this.#move(opened, -Infinity);
      case 'end':
      case 'G':
        return this.#move(opened, Infinity);
      default:
        return this.#pick(opened, input.name);
    }
  }

  #pick({ page }: OpenPage, name: string): void {
    const at = page.kind === 'list' && page.isNumbered === true && /^[1-9]$/.test(name) ? Number(name) - 1 : -1;
    if (page.kind === 'list' && at >= 0 && at < page.length) this.#enter({ page, at });
  }

  #enter({ page, at }: Pick<OpenPage, 'page' | 'at'>): void {
    const next = page.kind === 'list' && page.length > 0 ? page.open?.(at) : undefined;
    if (next !== undefined) this.open(next);
  }

  /** May go beyond the ends: drawing a frame corrects the position. */
  #move(opened: OpenPage, by: number): void {
    const { page } = opened;
    const last = page.kind === 'list' ? page.length - 1 : (opened.drawn?.rows.length ?? Infinity);
    const moved = (place: number): number => Math.max(0, Math.min(last, place + by));
    if (page.kind === 'list') opened.at = moved(opened.at);
    else opened.from = moved(opened.from);
  }
}

const chosen = { ...accentStyle, ...boldStyle };

function placeWords({ at, from, drawn }: OpenPage, room: number, page: BrowsePage): string {
  if (page.kind === 'list') return page.length > room ? `  ${at + 1} of ${page.length}` : '';
  const last = (drawn?.rows.length ?? 0) - room;
  return last > 0 ? `  ${Math.round((100 * from) / last)} %` : '';
}

export type BrowsePage = BrowseList | BrowseText;

/** Rows are made when they become visible, so that a list of any length opens at once. */
export interface BrowseList {
  readonly kind: 'list';
  readonly title: string;
  head?(look: Look): readonly Row[];
  readonly length: number;
  /** One row; an overlong row is cut. */
  row(index: number, look: Look): Row;
  open?(index: number): BrowsePage | undefined;
  opens?(index: number): boolean;
  /** Label of Enter. Absent: it opens. */
  readonly enter?: string;
  readonly isNumbered?: true;
  readonly empty?: string;
  readonly actions?: readonly BrowseAction[];
}

interface BrowseText {
  readonly kind: 'text';
  readonly title: string;
  rows(look: Look): readonly Row[];
  readonly actions?: readonly BrowseAction[];
}

export interface BrowseAction {
  readonly key: string;
  /** Label in the last row of the screen: `p pins it`. */
  readonly does: string;
  /** Called with the selected row; 0 on a text. */
  press(index: number): void;
}

export interface ShownText {
  readonly title: string;
  readonly about: readonly string[];
  /** Untrusted text. Called when the page is drawn. */
  text(): string;
  readonly actions?: readonly BrowseAction[];
}

/** A page for an untrusted text with a description. The text is complete, and cannot control the terminal. */
export function textPage({ title, about, text, actions = [] }: ShownText): BrowseText {
  return {
    kind: 'text',
    title,
    rows: (look) => {
      const lines = (from: string): readonly string[] => cleanLines(from).map((line) => line.trimEnd());
      const { width } = look;
      const head = about
        .flatMap((line) => lines(wordsWithGlyphs(line, look)))
        .map((line): Row => [styled(line, dimStyle)]);
      const body = lines(text()).map((line): Row => [plain(line)]);
      return [...head, ...(head.length === 0 ? [] : [[]]), ...body].flatMap((row) => wrapRow(row, { width }));
    },
    actions,
  };
}

/** Wrapped sentences above a list, with an empty row after them. `hang`: indent of wrapped rows. */
export function sentenceRows(lines: readonly string[], look: Look, hang = 0): readonly Row[] {
  const rest = [plain(' '.repeat(hang))];
  const rows = lines
    .flatMap((text) => text.split('\n'))
    .flatMap((line) =>
      wrapRow([styled(wordsWithGlyphs(cleanLine(line), look), dimStyle)], { width: look.width, first: [], rest }),
    );
  return rows.length === 0 ? [] : [...rows, []];
}

export interface Figure {
  readonly text: string;
  /** Columns shared by all figures of the kind, to align them. */
  readonly width: number;
}

/**
 * Words at the left, figures at the right. On a narrow screen the last figures are dropped first, so that the words
 * keep two fifths of the row.
 */
export function figureRow(words: Row, figures: readonly Figure[], look: Look): Row {
  const shown = [...figures];
  const taken = (): number => shown.reduce((sum, { width }) => sum + width + 2, 0);
  while (shown.length > 1 && taken() > look.width * 0.6) shown.pop();
  const room = look.width - taken();
  if (room < 4) return words;
  const left = cutRow(words, room, look);
  const blanks = plain(' '.repeat(Math.max(0, room - rowColumns(left))));
  // No trailing blanks after the last figure.
  const last = shown.findLastIndex(({ text }) => text !== '');
  if (last < 0) return left;
  const right = shown.slice(0, last + 1).map(({ text, width }) => styled(`  ${padded(text, width)}`, dimStyle));
  return [...left, blanks, ...right];
}

function padded(text: string, width: number): string {
  return `${' '.repeat(Math.max(0, width - countColumns(text)))}${text}`;
}
