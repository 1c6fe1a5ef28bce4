import type { WindowItem } from '../../context/window-items.ts';
import { basis } from '../../context/show-window.ts';
import { count, percent, plural } from '../../wording/number-words.ts';
import type { BrowseAction, BrowseList, BrowsePage } from '../views/browse-page.ts';
import { figureRow } from '../views/figure-row.ts';
import { textPage } from '../views/text-page.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { ReadWindow } from './read-window.ts';
import type { WindowGroup } from './window-groups.ts';
import { freeMark, groupMark, mapRows, reserveMark } from './window-map.ts';
import { costLines, fillWords, itemLabel, originLines } from './window-words.ts';
import { saidRows } from './said-rows.ts';

/** What may be done with an item. */
export interface ItemActs {
  pin(item: WindowItem): void;
}

const mapHeight = 3;

interface MapRow {
  readonly name: string;
  readonly tokens: number;
  readonly cached?: number;
  readonly items?: number;
  mark(look: Look): Row[number];
  open?(): BrowsePage;
}

/** The map of the window: a row for each group, which opens to its items. */
export function contextBrowse(window: ReadWindow, acts: ItemActs): BrowseList {
  const { view, groups, room, cost } = window;
  const { total, notes = [], unknown } = view;
  const remarks = [...notes, ...unknown];
  const rows: readonly MapRow[] = [
    ...groups.map((group): MapRow => ({
      ...group,
      items: group.items.length,
      mark: (look) => groupMark(group, look),
      open: () => groupPage(group, total, acts),
    })),
    ...(room.limit === undefined ? [] : [{ name: 'free', tokens: room.free, mark: freeMark }]),
    ...(room.reserve === 0 ? [] : [{ name: 'reserve of compaction', tokens: room.reserve, mark: reserveMark }]),
    ...(remarks.length === 0 ? [] : [remarksRow(remarks)]),
  ];
  const width = Math.max(...rows.map(({ tokens }) => count(tokens).length));
  const said = [
    `${fillWords(view, room)}${room.compactsAt === undefined ? '' : `; Capstan compacts at ${count(room.compactsAt)}`}.`,
    basis(view),
    ...costLines(cost),
  ];
  return {
    kind: 'list',
    title: 'Context',
    head: (look) => [...mapRows(groups, room, mapHeight, look), ...saidRows(said, look)],
    length: rows.length,
    row(index, look) {
      const { name, tokens, cached, items, mark } = rows[index]!;
      const share = room.limit === undefined ? percent(tokens, total) : percent(tokens, Math.max(room.limit, total));
      return figureRow(
        [mark(look), plain(` ${name}`)],
        [
          { text: count(tokens), width },
          { text: share, width: 5 },
          { text: items === undefined ? '' : plural(items, 'item'), width: 12 },
          { text: cachedWords(cached, tokens), width: 12 },
        ],
        look,
      );
    },
    open: (index) => rows[index]?.open?.(),
  };
}

function cachedWords(cached: number | undefined, tokens: number): string {
  if (cached === undefined) return '';
  return cached === 0 ? 'not cached' : cached === tokens ? 'cached' : `${percent(cached, tokens)} cached`;
}

function remarksRow(remarks: readonly string[]): MapRow {
  return {
    name: plural(remarks.length, 'remark'),
    tokens: 0,
    mark: () => styled('!', dimStyle),
    open: () => textPage({ title: 'Remarks', about: [], text: () => remarks.join('\n\n') }),
  };
}

/** Items of one group, the largest first. */
function groupPage({ name, items, tokens, cached }: WindowGroup, total: number, acts: ItemActs): BrowseList {
  const width = count(items[0]?.part.tokens ?? 0).length;
  const inCache = cached === undefined ? '' : `, ${count(cached)} of them from the cache`;
  const said = `${plural(items.length, 'item')}, ${count(tokens)} tokens${inCache}.`;
  const actions: readonly BrowseAction[] = [
    { key: 'p', does: 'pins its text', press: (index) => acts.pin(items[index]!) },
  ];
  return {
    kind: 'list',
    title: name,
    head: (look) => saidRows([said], look),
    length: items.length,
    row(index, look) {
      const item = items[index]!;
      const { tokens: weight, turn, next } = item.part;
      const when = next === true ? 'next turn' : turn === undefined ? '' : `turn ${turn}`;
      return figureRow(
        [plain(itemLabel(item))],
        [
          { text: count(weight), width },
          { text: percent(weight, total), width: 5 },
          { text: when, width: 9 },
        ],
        look,
      );
    },
    open(index) {
      const item = items[index]!;
      const about = originLines(item, total);
      return textPage({ title: itemLabel(item), about, text: () => item.text(), actions });
    },
    actions,
  };
}
