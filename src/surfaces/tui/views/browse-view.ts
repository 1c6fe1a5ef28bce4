import { hintKeys } from '../keys/hint-keys.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { BrowseList, BrowsePage, BrowseText } from './browse-page.ts';
import type { View } from './view.ts';

interface OpenPage {
  readonly page: BrowsePage;
  /** The chosen row of a list. */
  at: number;
  /** The first row in sight. */
  from: number;
  /** Rows of a text as they were drawn last, and for which look. */
  drawn?: { readonly key: string; readonly rows: readonly Row[] };
}

/** At least so many rows of a list stay in sight, however much stands above it. */
const leastRows = 4;

/** Pages on a screen of their own. Each row may open another page; Esc goes back. */
export class BrowseView implements View {
  readonly #close: () => void;
  readonly #opened: OpenPage[];
  #room = 1;

  constructor(page: BrowsePage, close: () => void) {
    this.#close = close;
    this.#opened = [{ page, at: 0, from: 0 }];
  }

  /** The page in sight becomes another one, in the same place. */
  replace(page: BrowsePage): void {
    const { at, from } = this.#opened.pop() ?? { at: 0, from: 0 };
    this.#opened.push({ page, at, from });
  }

  /** The page is all that is open. */
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
    // No key is cut off from its end, unless the window is very low.
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

  /** Beyond the ends it stops there: a frame sets the place right. */
  #move(opened: OpenPage, by: number): void {
    const { page } = opened;
    const last = page.kind === 'list' ? page.length - 1 : (opened.drawn?.rows.length ?? Infinity);
    const moved = (place: number): number => Math.max(0, Math.min(last, place + by));
    if (page.kind === 'list') opened.at = moved(opened.at);
    else opened.from = moved(opened.from);
  }
}

const chosen = { ...accentStyle, ...boldStyle };

/** Where in a long page the user is. */
function placeWords({ at, from, drawn }: OpenPage, room: number, page: BrowsePage): string {
  if (page.kind === 'list') return page.length > room ? `  ${at + 1} of ${page.length}` : '';
  const last = (drawn?.rows.length ?? 0) - room;
  return last > 0 ? `  ${Math.round((100 * from) / last)} %` : '';
}
