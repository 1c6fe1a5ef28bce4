import { countColumns } from '../../../../base/text-columns.ts';
import { fullText } from '../../../../protocol/outcome.ts';
import { hintKeys } from '../../screen/keys/key-map.ts';
import type { TerminalInput } from '../../screen/terminal/terminal-port.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { cutRow, drawRow } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { Frame, View } from '../../screen/view.ts';
import type { TuiSession } from '../../session/session.ts';
import { type StatusId, statusItems } from '../../session/status-items.ts';
import type { TitleId } from '../../session/status-line.ts';

const about = Object.fromEntries(Object.entries(statusItems).map(([id, item]) => [id, item.about])) as Readonly<
  Record<StatusId, string>
>;

export function chooseStatusLine(session: TuiSession): void {
  const { stage } = session.parts;
  const { status } = session;
  stage.open(
    new ItemsView<StatusId>({
      title: 'Status line',
      about,
      chosen: status.items,
      preview: (items, look) => status.row(items, look),
      save(items) {
        stage.open(undefined);
        status.items = items;
        session.run(save(session, 'status_line', items));
      },
      close: () => stage.open(undefined),
    }),
  );
}

export function chooseTitle(session: TuiSession): void {
  const { stage } = session.parts;
  const { status } = session;
  stage.open(
    new ItemsView<TitleId>({
      title: 'Title of the window',
      about: { activity: 'that something runs, or waits for you', ...about },
      chosen: status.titleItems,
      preview: (items, look) => [styled('  Title: ', dimStyle), plain(cleanLine(status.title(items, look)))],
      save(items) {
        stage.open(undefined);
        status.titleItems = items;
        session.run(save(session, 'terminal_title', items));
      },
      close: () => stage.open(undefined),
    }),
  );
}

async function save(session: TuiSession, key: string, items: readonly string[]): Promise<void> {
  const problem = await session.parts.engine.config.saveTui({ [key]: items });
  if (problem !== undefined) session.notice(fullText(problem), 'error');
}

export interface ItemsOptions<Id extends string> {
  readonly title: string;
  readonly about: Readonly<Record<Id, string>>;
  readonly chosen: readonly Id[];
  preview(chosen: readonly Id[], look: Look): Row;
  save(chosen: readonly Id[]): void;
  close(): void;
}

const mostRows = 10;

export class ItemsView<Id extends string> implements View {
  readonly #options: ItemsOptions<Id>;
  #chosen: readonly Id[];
  /** The selected ones first. Recomputed when the view is opened, never under the cursor. */
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
    // Room for title, search, preview with an empty row above it, and the hint.
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
    const cursor = { row: 1, column: Math.min(look.width - 1, 4 + countColumns(this.#typed)) };
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
