import { countColumns } from '../../../../base/text-columns.ts';
import { cursorSign, drawCutRows, hintRows, keyTable, listRowStyle } from '../../pages/list-parts.ts';
import { hintKeyMapper } from '../../screen/keys/key-map.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { rowsAround } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import type { View } from '../../screen/view.ts';
import type { TuiSession } from '../../session/session.ts';
import { type StatusId, statusItems } from '../../session/status-items.ts';
import type { TitleId } from '../../session/status-line.ts';

const about = Object.fromEntries(Object.entries(statusItems).map(([id, item]) => [id, item.about])) as Readonly<
  Record<StatusId, string>
>;

export function chooseStatusLine(session: TuiSession): void {
  const { status } = session;
  choose<StatusId>(session, 'status_line', {
    title: 'Status line',
    about,
    chosen: status.items,
    preview: (items, look) => status.row(items, look),
    save: (items) => (status.items = items),
  });
}

export function chooseTitle(session: TuiSession): void {
  const { status } = session;
  choose<TitleId>(session, 'terminal_title', {
    title: 'Title of the window',
    about: { activity: 'that something runs, or waits for you', ...about },
    chosen: status.titleItems,
    preview: (items, look) => [styled('  Title: ', dimStyle), plain(cleanLine(status.title(items, look)))],
    save: (items) => (status.titleItems = items),
  });
}

function choose<Id extends string>(session: TuiSession, key: string, options: Omit<ItemsOptions<Id>, 'close'>): void {
  const { stage, engine } = session.parts;
  const close = (): void => stage.open(undefined);
  const save = async (items: readonly Id[]): Promise<void> => {
    const problem = await engine.config.saveTui({ [key]: items });
    if (problem !== undefined) session.noticeProblem(problem);
  };
  const taken = (items: readonly Id[]): void => {
    close();
    options.save(items);
    session.run(save(items));
  };
  stage.open(orderedItemsView({ ...options, save: taken, close }));
}

interface ItemsOptions<Id extends string> {
  readonly title: string;
  readonly about: Readonly<Record<Id, string>>;
  readonly chosen: readonly Id[];
  preview(chosen: readonly Id[], look: Look): Row;
  save(chosen: readonly Id[]): void;
  close(): void;
}

const mostRows = 10;

/** A list of items to pick and to put into an order. */
export function orderedItemsView<Id extends string>(options: ItemsOptions<Id>): View {
  const { title, about, preview, save, close } = options;
  let { chosen } = options;
  /** Selected items come first. Sorted only when the view opens, so that selecting an item does not move it. */
  let order = [...new Set([...chosen, ...(Object.keys(about) as Id[])])] as readonly Id[];
  let [typed, at] = ['', 0];
  const found = (): readonly Id[] => {
    const wanted = typed.toLowerCase();
    return order.filter((id) => `${id} ${about[id]}`.toLowerCase().includes(wanted));
  };
  const search = (text: string): void => {
    typed = text;
    at = 0;
  };
  const step = (by: number): void => {
    const count = Math.max(1, found().length);
    at = (at + by + count) % count;
  };
  const toggle = (): void => {
    const id = found()[at];
    if (id === undefined) return;
    chosen = chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id];
  };
  const move = (by: 1 | -1): void => {
    const id = found()[at];
    const from = id === undefined ? -1 : chosen.indexOf(id);
    const other = from < 0 ? undefined : chosen[from + by];
    if (id === undefined || other === undefined) return;
    chosen = swapped(chosen, id, other);
    order = swapped(order, id, other);
    at = Math.max(0, found().indexOf(id));
  };
  const keys = keyTable({
    'escape ctrl+c': close,
    enter: () => save(chosen),
    'up ctrl+p': () => step(-1),
    'down ctrl+n': () => step(1),
    backspace: () => search(typed.slice(0, -1)),
    space: toggle,
    left: () => move(-1),
    right: () => move(1),
  });
  return {
    frame(look, height) {
      const all = found();
      const { prompt, boxOpen, boxDone } = glyphsOf(look);
      const key = hintKeyMapper(look);
      const hint = `${key('Space')} picks, ${key('Left')} and ${key('Right')} move, ${key('Enter')} saves, ${key('Esc')} goes back`;
      const hints = hintRows(hint, look);
      // Room for title, search, preview with an empty row above it, and the hint.
      const count = Math.max(1, Math.min(mostRows, height - 4 - hints.length, all.length));
      const wide = Math.max(0, ...all.map((id) => id.length));
      const listed = rowsAround([...all.entries()], at, count).map(([index, id]) => [
        cursorSign(index === at, look),
        plain(`${chosen.includes(id) ? boxDone : boxOpen} `),
        styled(id.padEnd(wide + 2), listRowStyle(index === at)),
        styled(cleanLine(about[id]), dimStyle),
      ]);
      const rows: readonly Row[] = [
        [plain('  '), styled(title, boldStyle)],
        [plain('  '), styled(`${prompt} `, dimStyle), plain(typed)],
        ...(listed.length === 0 ? [[styled('  No matches.', dimStyle)]] : listed),
        ...hints,
        [],
        preview(chosen, look),
      ];
      const cursor = { row: 1, column: Math.min(look.width - 1, 4 + countColumns(typed)) };
      return { rows: drawCutRows(rows, look).slice(0, Math.max(2, height)), cursor };
    },
    input(input) {
      if (input.kind !== 'key') return;
      const act = keys.get(input.name);
      if (act !== undefined) act();
      else if (input.text !== '') search(typed + input.text);
    },
  };
}

const swapped = <Id>(list: readonly Id[], one: Id, other: Id): readonly Id[] =>
  list.map((each) => (each === one ? other : each === other ? one : each));
