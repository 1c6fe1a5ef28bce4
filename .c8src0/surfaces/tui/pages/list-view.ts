import { countColumns } from '../../../base/text-columns.ts';
import { hintKeyMapper, type HintKeyMapper } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { rowsAround } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import type { Frame, View } from '../screen/view.ts';
import { paddingBlanks, cursorSign, drawCutRows, hintRows, keyTable, listRowStyle } from './list-parts.ts';

export type ListItem = { readonly label: string; readonly about?: string; readonly isCurrent?: boolean };

export interface ListOptions {
  readonly title: string;
  readonly items: readonly ListItem[];
  /** Typing narrows the list. Otherwise digits pick and letters move. */
  readonly isSearched?: boolean;
  readonly hint?: (key: HintKeyMapper) => string;
  /** Other keys for the selected item. In a searched list, none of them may type a character. */
  readonly keys?: Readonly<Record<string, (index: number) => void>>;
  /** Index of the initially selected item. Absent: the current item, or else the first. */
  readonly startsAt?: number;
  /** Rows about the selected item below the list, cut to fit. `index` is undefined if no item matches the search. */
  details?(index: number | undefined, look: Look): readonly Row[];
  /** Rows that stay for the list above the details. */
  readonly leastRows?: number;
  /** Gets the answers of the terminal about itself. */
  reported?(input: TerminalInput): void;
  pick(index: number): void;
  close(): void;
}

const mostRows = 10;

export class ListView implements View {
  #options: ListOptions;
  #typed = '';
  #at: number;
  readonly #keys: ReadonlyMap<string, () => void>;

  constructor(options: ListOptions) {
    const { startsAt, items, isSearched = false } = options;
    this.#options = options;
    const current = items.findIndex(({ isCurrent }) => isCurrent === true);
    this.#at = startsAt ?? Math.max(0, current);
    this.#keys = keyTable({
      enter: () => this.#act(this.#options.pick.bind(this.#options)),
      [isSearched ? 'up ctrl+p' : 'up ctrl+p k']: () => this.move(-1),
      [isSearched ? 'down ctrl+n' : 'down ctrl+n j']: () => this.move(1),
      pageup: () => (this.#at = Math.max(0, this.#at - mostRows)),
      pagedown: () => (this.#at = Math.min(this.#last, this.#at + mostRows)),
      home: () => (this.#at = 0),
      end: () => (this.#at = this.#last),
      ...(isSearched && { backspace: () => this.#type(this.#typed.slice(0, -1)) }),
    });
  }

  get takesText(): boolean {
    return this.#options.isSearched === true;
  }

  update(change: Partial<Pick<ListOptions, 'items' | 'title' | 'hint'>>): void {
    this.#options = { ...this.#options, ...change };
    this.#at = Math.min(this.#at, this.#last);
  }

  get chosen(): number | undefined {
    return this.#found[this.#at];
  }

  move(by: 1 | -1): void {
    const count = this.#found.length;
    if (count > 0) this.#at = (this.#at + by + count) % count;
  }

  get #last(): number {
    return Math.max(0, this.#found.length - 1);
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
    const { details, leastRows = 0 } = this.#options;
    if (details === undefined) return this.#listed(look, height);
    const below = drawCutRows([[], ...details(this.chosen, look)], look);
    const { rows, cursor } = this.#listed(look, Math.max(leastRows, height - below.length));
    return { rows: [...rows, ...below].slice(0, Math.max(2, height)), cursor };
  }

  #listed(look: Look, height: number): Frame {
    const { title, items, isSearched = false, hint = usualHint } = this.#options;
    const found = this.#found;
    const { dot, prompt } = glyphsOf(look);
    const more = found.length > mostRows ? ` ${dot} ${this.#at + 1} of ${found.length}` : '';
    const hints = hintRows(`${hint(hintKeyMapper(look))}${more}`, look);
    const count = Math.max(1, Math.min(mostRows, height - 3 - hints.length, found.length));
    const labels = found.map((index) => countColumns(cleanLine(items[index]!.label)));
    const wide = Math.min(Math.max(0, ...labels), Math.floor(look.width / 2));
    const digits = String(items.length).length;
    const itemRow = (index: number, at: number): Row => {
      const { label, about = '', isCurrent = false } = items[index]!;
      const [name, isChosen] = [cleanLine(label), at === this.#at];
      return [
        cursorSign(isChosen, look),
        styled(`${isSearched ? '' : `${String(at + 1).padStart(digits)}. `}${name}`, listRowStyle(isChosen)),
        plain(`${paddingBlanks(wide, countColumns(name))}  `),
        styled(`${isCurrent ? '(current) ' : ''}${cleanLine(about)}`, dimStyle),
      ];
    };
    const rows: readonly Row[] = [
      [plain('  '), styled(cleanLine(title), boldStyle)],
      ...(isSearched ? [[plain('  '), styled(`${prompt} `, dimStyle), plain(this.#typed)]] : []),
      ...(found.length === 0 ? [[styled('  No matches.', dimStyle)]] : []),
      ...rowsAround([...found.entries()], this.#at, count).map(([at, index]) => itemRow(index, at)),
      ...hints,
    ];
    const cursor = { row: 1, column: Math.min(look.width - 1, 4 + countColumns(this.#typed)) };
    return { rows: drawCutRows(rows, look), cursor: isSearched ? cursor : undefined };
  }

  input(input: TerminalInput): void {
    const { items, isSearched = false, keys, reported, pick, close } = this.#options;
    if (input.kind === 'paste') return isSearched ? this.#type(this.#typed + cleanLine(input.text)) : undefined;
    if (input.kind !== 'key') return reported?.(input);
    const { name, text } = input;
    if (name === 'escape' || name === 'ctrl+c') return close();
    const own = keys?.[name];
    if (own !== undefined) return this.#act(own);
    const act = this.#keys.get(name);
    if (act !== undefined) return act();
    if (!isSearched && /^[1-9]$/.test(name)) return Number(name) <= items.length ? pick(Number(name) - 1) : undefined;
    if (isSearched && text !== '') this.#type(this.#typed + text);
  }

  #act(act: (index: number) => void): void {
    if (this.chosen !== undefined) act(this.chosen);
  }

  #type(text: string): void {
    this.#typed = text;
    this.#at = 0;
  }
}

const usualHint = (key: HintKeyMapper): string => `${key('Enter')} chooses, ${key('Esc')} goes back`;
type ListStage = Pick<TuiScreen, 'open'>;
type OpenedList = Omit<ListOptions, 'close'> & Partial<Pick<ListOptions, 'close'>>;

/** Opens a list that stays open when the user chooses a row. */
export function openList(stage: ListStage, options: OpenedList): ListView {
  const list = new ListView({ close: () => stage.open(undefined), ...options });
  stage.open(list);
  return list;
}

/** Opens a list that closes when the user chooses, before `pick` is called. */
export function chooseFrom(stage: ListStage, { pick, ...options }: OpenedList): void {
  const taken = (index: number): void => {
    stage.open(undefined);
    pick(index);
  };
  openList(stage, { ...options, pick: taken });
}

/** Asks for a yes; `no` comes first. */
export function askYesNo(stage: ListStage, title: string, [no, yes]: readonly [ListItem, ListItem], act: () => void) {
  chooseFrom(stage, { title, items: [no, yes], pick: (index) => void (index === 1 && act()) });
}
