import { countColumns } from '../../../base/text-columns.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine, cleanLines } from '../screen/text/clean-text.ts';
import { cutRow, rowColumns } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look, replaceGlyphs } from '../screen/text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import type { Frame, View } from '../screen/view.ts';
import { paddingBlanks, cursorSign, drawCutRows, footRows, keyTable, listRowStyle } from './list-parts.ts';

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
  readonly #opened: OpenPage[] = [];
  #room = 1;
  readonly #keys = keyTable({
    'q ctrl+c': () => this.#close(),
    'escape left backspace': () => this.back(),
    'enter right': () => this.#enter(this.#top.at),
    'up ctrl+p k': () => this.#move(-1),
    'down ctrl+n j': () => this.#move(1),
    'pageup ctrl+b': () => this.#move(-this.#room),
    'pagedown ctrl+f space': () => this.#move(this.#room),
    'home g': () => this.#move(-Infinity),
    'end G': () => this.#move(Infinity),
  });

  constructor(page: BrowsePage, close: () => void) {
    this.#close = close;
    this.open(page);
  }

  get #top(): OpenPage {
    return this.#opened.at(-1)!;
  }

  replace(page: BrowsePage): void {
    const { at, from } = this.#opened.pop()!;
    this.#opened.push({ page, at, from });
  }

  reset(page: BrowsePage): void {
    this.#opened.length = 0;
    this.open(page);
  }

  open(page: BrowsePage): void {
    this.#opened.push({ page, at: 0, from: 0 });
  }

  back(): void {
    if (this.#opened.length === 1) this.#close();
    else this.#opened.pop();
  }

  frame(look: Look, height: number): Frame {
    const { page } = this.#top;
    const foot = footRows(this.#foot(look), look, height);
    const middle = Math.max(1, height - 1 - foot.length);
    const rows = page.kind === 'list' ? this.#list(page, look, middle) : this.#text(page, look, middle);
    const title = this.#opened.map((each) => each.page.title).join(` ${glyphsOf(look).prompt} `);
    const head: Row = [styled(title, boldStyle), styled(this.#place, dimStyle)];
    const blanks = Array.from({ length: Math.max(0, middle - rows.length) }, (): Row => []);
    return { rows: drawCutRows([head, ...rows, ...blanks, ...foot].slice(0, Math.max(1, height)), look) };
  }

  #list(page: BrowseList, look: Look, height: number): readonly Row[] {
    const opened = this.#top;
    const wanted = Math.min(Math.max(1, page.length), leastRows);
    const head = (page.head?.(look) ?? []).slice(0, Math.max(0, height - wanted));
    this.#room = Math.max(1, height - head.length);
    opened.at = Math.max(0, Math.min(opened.at, page.length - 1));
    const last = Math.max(0, page.length - this.#room);
    opened.from = Math.min(last, Math.max(opened.at - this.#room + 1, Math.min(opened.from, opened.at)));
    if (page.length === 0) return [...head, [styled(`  ${page.empty ?? 'Nothing.'}`, dimStyle)]];
    const inner = { ...look, width: Math.max(1, look.width - 2) };
    const rows = Array.from({ length: Math.min(this.#room, page.length - opened.from) }, (_, offset): Row => {
      const index = opened.from + offset;
      const row = page.row(index, inner);
      if (index !== opened.at) return [plain('  '), ...row];
      return [
        cursorSign(true, look),
        ...row.map(({ text, style }) => styled(text, { ...listRowStyle(true), ...style })),
      ];
    });
    return [...head, ...rows];
  }

  #text(page: BrowseText, look: Look, height: number): readonly Row[] {
    const opened = this.#top;
    const key = [look.width, look.colours, look.palette, look.glyphs].join(' ');
    if (opened.drawn?.key !== key) opened.drawn = { key, rows: page.rows({ ...look, details: 'whole' }) };
    const { rows } = opened.drawn;
    this.#room = height;
    opened.from = Math.max(0, Math.min(opened.from, rows.length - height));
    return rows.slice(opened.from, opened.from + height);
  }

  #foot(look: Look): Row {
    const { page, at } = this.#top;
    const key = hintKeyMapper(look, 'pager');
    const opens = page.kind === 'list' && page.open !== undefined && page.length > 0 && page.opens?.(at) !== false;
    const hints = [
      ...(page.actions ?? []).map((action) => `${key(action.key)} ${action.does}`),
      ...(opens ? [`${key('Enter')} ${page.enter ?? 'opens'}`] : []),
      `${key('Esc')} ${this.#opened.length > 1 ? 'goes back' : 'closes'}`,
      `${key('q')} closes`,
    ];
    return [styled(hints.join(` ${glyphsOf(look).dot} `), dimStyle)];
  }

  get #place(): string {
    const { page, at, from, drawn } = this.#top;
    if (page.kind === 'list') return page.length > this.#room ? `  ${at + 1} of ${page.length}` : '';
    const last = (drawn?.rows.length ?? 0) - this.#room;
    return last > 0 ? `  ${Math.round((100 * from) / last)} %` : '';
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') return this.#move(input.direction === 'up' ? -3 : 3);
    if (input.kind !== 'key') return;
    const { page, at } = this.#top;
    const { name } = input;
    const action = page.actions?.find(({ key }) => key === name);
    if (action !== undefined) return page.kind === 'list' && page.length === 0 ? undefined : action.press(at);
    const act = this.#keys.get(name);
    if (act !== undefined) return act();
    if (page.kind === 'list' && page.isNumbered === true && /^[1-9]$/.test(name)) this.#enter(Number(name) - 1);
  }

  #enter(at: number): void {
    const { page } = this.#top;
    const next = page.kind === 'list' && at < page.length ? page.open?.(at) : undefined;
    if (next !== undefined) this.open(next);
  }

  /** Moves the cursor of a list, or scrolls a text. Drawing a frame corrects a text that is scrolled too far. */
  #move(by: number): void {
    const opened = this.#top;
    const { page, drawn } = opened;
    const last = page.kind === 'list' ? page.length - 1 : (drawn?.rows.length ?? Infinity);
    const place = page.kind === 'list' ? 'at' : 'from';
    opened[place] = Math.max(0, Math.min(last, opened[place] + by));
  }
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

interface ListOf<Entry> extends Pick<BrowseList, 'head' | 'opens' | 'enter' | 'isNumbered' | 'empty' | 'actions'> {
  row(entry: Entry, look: Look, index: number): Row;
  open?(entry: Entry, index: number): BrowsePage | undefined | void;
}

export function listPage<Entry>(title: string, entries: readonly Entry[], page: ListOf<Entry>): BrowseList {
  const { row, open, ...others } = page;
  return {
    ...others,
    kind: 'list',
    title,
    length: entries.length,
    row: (index, look) => row(entries[index]!, look, index),
    open: open && ((index) => open(entries[index]!, index) ?? undefined),
  };
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

interface ShownText extends Pick<BrowseText, 'title' | 'actions'> {
  readonly about?: readonly string[];
  /** Untrusted text. Called when the page is drawn. */
  text(): string;
}

/** A page for an untrusted text with a description. The text is complete, and cannot control the terminal. */
export function browsableText({ title, about = [], text, actions }: ShownText): BrowseText {
  const lines = (from: string): readonly string[] => cleanLines(from).map((line) => line.trimEnd());
  return {
    kind: 'text',
    title,
    rows(look) {
      const said = about.flatMap((line) => lines(replaceGlyphs(line, look)));
      const head = said.map((line): Row => [styled(line, dimStyle)]);
      const body = lines(text()).map((line): Row => [plain(line)]);
      const all = head.length === 0 ? body : [...head, [], ...body];
      return all.flatMap((row) => wrapRow(row, { width: look.width }));
    },
    actions,
  };
}

/** Wrapped sentences above a list, with an empty row after them. `hang`: indent of wrapped rows. */
export function sentenceRows(lines: readonly string[], look: Look, hang = 0): readonly Row[] {
  const form = { width: look.width, first: [], rest: [plain(' '.repeat(hang))] };
  const rows = lines
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => wrapRow([styled(replaceGlyphs(cleanLine(line), look), dimStyle)], form));
  return rows.length === 0 ? [] : [...rows, []];
}

/** `width`: columns shared by all figures of the kind, to align them. */
type Figure = readonly [text: string, width: number];

/** On a narrow screen the last figures are dropped first, so that the words keep two fifths of the row. */
export function figureRow(words: Row, look: Look, ...figures: readonly Figure[]): Row {
  const shown = [...figures];
  const taken = (): number => shown.reduce((sum, [, width]) => sum + width + 2, 0);
  while (shown.length > 1 && taken() > look.width * 0.6) shown.pop();
  const room = look.width - taken();
  if (room < 4) return words;
  const left = cutRow(words, room, look);
  // No trailing blanks after the last figure.
  const last = shown.findLastIndex(([text]) => text !== '');
  if (last < 0) return left;
  const right = shown
    .slice(0, last + 1)
    .map(([text, width]) => styled(`  ${paddingBlanks(width, countColumns(text))}${text}`, dimStyle));
  return [...left, plain(paddingBlanks(room, rowColumns(left))), ...right];
}
