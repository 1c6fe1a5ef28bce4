import { hintKeys, type HintKeys } from '../screen/keys/key-map.ts';
import type { Frame, View } from '../screen/view.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { countColumns } from '../../../base/text-columns.ts';
import { cutRow, drawRow } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';

export interface ListItem {
  readonly label: string;
  readonly about?: string;
  readonly isCurrent?: boolean;
}

export interface ListOptions {
  readonly title: string;
  readonly items: readonly ListItem[];
  /** Typing narrows the list. Otherwise digits pick and letters move. */
  readonly isSearched?: boolean;
  readonly hint?: (key: HintKeys) => string;
  /** Other keys for the selected item: in a searched list, none that types a character. */
  readonly keys?: Readonly<Record<string, (index: number) => void>>;
  /** Initially selected; absent: the current one, or the first. */
  readonly startsAt?: number;
  pick(index: number): void;
  close(): void;
}

const mostRows = 10;
const indent: Row = [plain('  ')];

export class ListView implements View {
  #options: ListOptions;
  #typed = '';
  #at: number;

  constructor(options: ListOptions) {
    this.#options = options;
    this.#at =
      options.startsAt ??
      Math.max(
        0,
        options.items.findIndex(({ isCurrent }) => isCurrent === true),
      );
  }

  get takesText(): boolean {
    return this.#options.isSearched === true;
  }

  update(change: Partial<Pick<ListOptions, 'items' | 'title' | 'hint'>>): void {
    this.#options = { ...this.#options, ...change };
    this.#at = Math.min(this.#at, Math.max(0, this.#found.length - 1));
  }

  get chosen(): number | undefined {
    return this.#found[this.#at];
  }

  move(by: 1 | -1): void {
    const count = this.#found.length;
    if (count > 0) this.#at = (this.#at + by + count) % count;
  }

  get #found(): readonly number[] {
    const words = this.#typed.toLowerCase().split(/\s+/);
    const { items } = this.#options;
    return [...items.keys()].filter((index) => {
      const { label, about = '' } = items[index]!;
      const text = `${label} ${about}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  frame(look: Look, height: number): Frame {
    const { title, items, isSearched = false, hint = usualHint } = this.#options;
    const found = this.#found;
    const more = found.length > mostRows ? ` ${glyphsOf(look).dot} ${this.#at + 1} of ${found.length}` : '';
    const hints = wrapRow([styled(`${hint(hintKeys(look))}${more}`, dimStyle)], {
      width: look.width,
      first: indent,
      rest: indent,
    });
    const count = Math.max(1, Math.min(mostRows, height - 3 - hints.length, found.length));
    const from = Math.max(0, Math.min(this.#at - Math.floor(count / 2), found.length - count));
    const labels = found.map((index) => countColumns(cleanLine(items[index]?.label ?? '')));
    const wide = Math.min(Math.max(0, ...labels), Math.floor(look.width / 2));
    const rows: Row[] = [[plain('  '), styled(cleanLine(title), boldStyle)]];
    if (isSearched) rows.push([plain('  '), styled(`${glyphsOf(look).prompt} `, dimStyle), plain(this.#typed)]);
    const searchRow = rows.length - 1;
    if (found.length === 0) rows.push([styled('  No matches.', dimStyle)]);
    for (const [at, index] of found.entries()) {
      if (at < from || at >= from + count) continue;
      const item = items[index]!;
      rows.push(
        this.#itemRow(
          item,
          {
            isChosen: at === this.#at,
            number: isSearched ? undefined : String(at + 1).padStart(String(items.length).length),
            wide,
          },
          look,
        ),
      );
    }
    rows.push(...hints);
    const drawn = rows.map((row) => drawRow(cutRow(row, look.width, look), look));
    if (!isSearched) return { rows: drawn };
    const column = Math.min(look.width - 1, 4 + countColumns(this.#typed));
    return { rows: drawn, cursor: { row: searchRow, column } };
  }

  #itemRow(
    { label, about = '', isCurrent = false }: ListItem,
    {
      isChosen,
      number,
      wide,
    }: { readonly isChosen: boolean; readonly number: string | undefined; readonly wide: number },
    look: Look,
  ): Row {
    const { prompt } = glyphsOf(look);
    const name = cleanLine(label);
    const blanks = ' '.repeat(Math.max(0, wide - countColumns(name)) + 2);
    const style = isChosen ? { ...accentStyle, ...boldStyle } : {};
    return [
      styled(isChosen ? `${prompt} ` : '  ', accentStyle),
      styled(`${number === undefined ? '' : `${number}. `}${name}`, style),
      plain(blanks),
      styled(`${isCurrent ? '(current) ' : ''}${cleanLine(about)}`, dimStyle),
    ];
  }

  input(input: TerminalInput): void {
    if (input.kind === 'paste' && this.#options.isSearched === true) this.#type(cleanLine(input.text));
    if (input.kind !== 'key') return;
    const { items, isSearched = false } = this.#options;
    const found = this.#found;
    const last = Math.max(0, found.length - 1);
    const { name, text } = input;
    const isPlain = !isSearched;
    if (name === 'escape' || name === 'ctrl+c') return this.#options.close();
    const own = this.#options.keys?.[name];
    if (own !== undefined) {
      const index = found[this.#at];
      if (index !== undefined) own(index);
    } else if (name === 'enter') {
      const index = found[this.#at];
      if (index !== undefined) this.#options.pick(index);
    } else if (name === 'up' || name === 'ctrl+p' || (isPlain && name === 'k')) this.move(-1);
    else if (name === 'down' || name === 'ctrl+n' || (isPlain && name === 'j')) this.move(1);
    else if (name === 'pageup') this.#at = Math.max(0, this.#at - mostRows);
    else if (name === 'pagedown') this.#at = Math.min(last, this.#at + mostRows);
    else if (name === 'home') this.#at = 0;
    else if (name === 'end') this.#at = last;
    else if (isPlain && /^[1-9]$/.test(name)) {
      if (Number(name) <= items.length) this.#options.pick(Number(name) - 1);
    } else if (isSearched && name === 'backspace') {
      this.#typed = this.#typed.slice(0, -1);
      this.#at = 0;
    } else if (isSearched && text !== '') this.#type(text);
  }

  #type(text: string): void {
    this.#typed += text;
    this.#at = 0;
  }
}

function usualHint(key: HintKeys): string {
  return `${key('Enter')} chooses, ${key('Esc')} goes back`;
}
