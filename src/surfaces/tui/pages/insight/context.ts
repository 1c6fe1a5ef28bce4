import { historyEntries } from '../../../../core/history/history.ts';
import type { Pin } from '../../../../core/state/fold/pinned-notes.ts';
import { formatCount, formatPercent, plural } from '../../../../engine/wording.ts';
import type { Item } from '../../../../protocol/item.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import type { ThreadStory } from '../../../views/context/thread-story.ts';
import { itemText } from '../../../views/context/window-content.ts';
import { tokenBasisText } from '../../../views/context/window-page.ts';
import type { ContextWindowItem } from '../../../views/context/window-view.ts';
import { draftFromText } from '../../draft/draft.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { cutLine } from '../../screen/text/draw-row.ts';
import { compactNumber } from '../../screen/text/format-values.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { TuiSession } from '../../session/session.ts';
import { type Cell, cellFromRows } from '../../transcript/cells/cell.ts';
import { figureRow, listPage, sentenceRows, browsableText } from '../browse-view.ts';
import type { BrowseAction, BrowseList, BrowsePage, BrowseView } from '../browse-view.ts';
import { hintRows, listMargin } from '../list-parts.ts';
import type { ContextWindowGroup } from './context-window-groups.ts';
import {
  costLines,
  freeSpaceMark,
  contextGroupMark,
  itemLabel,
  contextMapRows,
  contextItemDetails,
  readContextWindow,
  type ContextWindowContents,
  reservedSpaceMark,
  contextFillText,
} from './context-window-view.ts';
import { type BrowsedThread, browseThread, changeWholeThread } from './inspected-thread.ts';

export function showContext(host: TuiSession): Promise<void> {
  const make = async (thread: BrowsedThread): Promise<BrowsePage> => {
    const window = await readContextWindow(host, thread);
    host.parts.stage.transcript.add({ cell: contextCard(window), isFinal: true });
    return contextBrowse(window, { pin: (item) => host.run(pin(host, thread.view, item.text())) });
  };
  // A new thread has contents too: Capstan knows how its first request will begin.
  return browseThread(host, 'Context', make, { mayBeNew: true });
}

async function pin(host: TuiSession, view: BrowseView, text: string): Promise<void> {
  const { words } = await pinText(host, text);
  view.open(browsableText({ title: 'Note', text: () => words }));
  host.parts.stage.draw();
}

/** Width of the margin. */
const columns = 2;
const widestBar = 100;
const mostLargest = 3;
const longestName = 40;

export function contextCard({ view, groups, room, cost }: ContextWindowContents): Cell {
  const largest = groups
    .filter(({ kind }) => kind !== 'system' && kind !== 'tools')
    .flatMap(({ items }) => items.slice(0, mostLargest))
    .toSorted((a, b) => b.part.tokens - a.part.tokens)
    .slice(0, mostLargest);
  return cellFromRows((look) => {
    const { dot } = glyphsOf(look);
    const inner = { ...look, width: Math.min(widestBar, Math.max(1, look.width - columns)) };
    const compacts = room.compactsAt === undefined ? '' : `, compacts at ${formatCount(room.compactsAt)}`;
    const parts = groups.map((group): Row => [
      contextGroupMark(group, look),
      plain(` ${group.name} ${compactNumber(group.tokens)}`),
    ]);
    const free: Row = [styled(`free ${compactNumber(room.free)}`, dimStyle)];
    const heavy = largest.map(
      (item) => `${cutLine(itemLabel(item), longestName, look)} ${compactNumber(item.part.tokens)}`,
    );
    const head = [styled('Context  ', boldStyle), plain(`${contextFillText(view, room)}${compacts}`)];
    return [
      ...wrapRow(head, { width: look.width }),
      ...contextMapRows(groups, room, 1, inner).map((row): Row => [...listMargin, ...row]),
      ...packed(room.limit === undefined ? parts : [...parts, free], dot, look),
      ...(heavy.length === 0 ? [] : hintRows(`Largest: ${heavy.join(` ${dot} `)}`, look)),
      ...costLines(cost).flatMap((line) => hintRows(line, look)),
    ];
  });
}

function packed(parts: readonly Row[], dot: string, look: Look): readonly Row[] {
  const rows: Row[] = [];
  let used = Infinity;
  for (const part of parts) {
    const wide = part.reduce((sum, { text }) => sum + text.length, 0);
    if (used + 3 + wide > look.width) {
      rows.push([...listMargin, ...part]);
      used = columns + wide;
    } else {
      rows.push([...rows.pop()!, styled(` ${dot} `, dimStyle), ...part]);
      used += 3 + wide;
    }
  }
  return rows;
}

type ItemActs = { pin(item: ContextWindowItem): void };
const mapHeight = 3;

interface MapRow {
  readonly name: string;
  readonly tokens: number;
  readonly cached?: number;
  readonly items?: number;
  mark(look: Look): Row[number];
  open?(): BrowsePage;
}

export function contextBrowse(window: ContextWindowContents, acts: ItemActs): BrowseList {
  const { view, groups, room, cost } = window;
  const { total, notes = [], unknown } = view;
  const remarks = [...notes, ...unknown];
  const rows: readonly MapRow[] = [
    ...groups.map((group): MapRow => ({
      ...group,
      items: group.items.length,
      mark: (look) => contextGroupMark(group, look),
      open: () => groupPage(group, total, acts),
    })),
    ...(room.limit === undefined ? [] : [{ name: 'free', tokens: room.free, mark: freeSpaceMark }]),
    ...(room.reserve === 0 ? [] : [{ name: 'reserve of compaction', tokens: room.reserve, mark: reservedSpaceMark }]),
    ...(remarks.length === 0 ? [] : [remarksRow(remarks)]),
  ];
  const width = Math.max(...rows.map(({ tokens }) => formatCount(tokens).length));
  const said = [
    `${contextFillText(view, room)}${room.compactsAt === undefined ? '' : `; Capstan compacts at ${formatCount(room.compactsAt)}`}.`,
    tokenBasisText(view),
    ...costLines(cost),
  ];
  return listPage('Context', rows, {
    head: (look) => [...contextMapRows(groups, room, mapHeight, look), ...sentenceRows(said, look)],
    row({ name, tokens, cached, items, mark }, look) {
      const share = formatPercent(tokens, Math.max(room.limit ?? total, total));
      const count = items === undefined ? '' : plural(items, 'item');
      const [size, inCache] = [formatCount(tokens), cachedWords(cached, tokens)];
      return figureRow([mark(look), plain(` ${name}`)], look, [size, width], [share, 5], [count, 12], [inCache, 12]);
    },
    open: (row) => row.open?.(),
  });
}

function cachedWords(cached: number | undefined, tokens: number): string {
  if (cached === undefined) return '';
  return cached === 0 ? 'not cached' : cached === tokens ? 'cached' : `${formatPercent(cached, tokens)} cached`;
}

function remarksRow(remarks: readonly string[]): MapRow {
  return {
    name: plural(remarks.length, 'remark'),
    tokens: 0,
    mark: () => styled('!', dimStyle),
    open: () => browsableText({ title: 'Remarks', text: () => remarks.join('\n\n') }),
  };
}

function groupPage({ name, items, tokens, cached }: ContextWindowGroup, total: number, acts: ItemActs): BrowseList {
  const width = formatCount(items[0]?.part.tokens ?? 0).length;
  const inCache = cached === undefined ? '' : `, ${formatCount(cached)} of them from the cache`;
  const said = `${plural(items.length, 'item')}, ${formatCount(tokens)} tokens${inCache}.`;
  const actions: readonly BrowseAction[] = [
    { key: 'p', does: 'pins its text', press: (index) => acts.pin(items[index]!) },
  ];
  return listPage(name, items, {
    head: (look) => sentenceRows([said], look),
    row(item, look) {
      const { tokens: weight, turn, next } = item.part;
      const when = next === true ? 'next turn' : turn === undefined ? '' : `turn ${turn}`;
      const share = formatPercent(weight, total);
      return figureRow([plain(itemLabel(item))], look, [formatCount(weight), width], [share, 5], [when, 9]);
    },
    open: (item) =>
      browsableText({
        title: itemLabel(item),
        about: contextItemDetails(item, total),
        text: () => item.text(),
        actions,
      }),
    actions,
  });
}

/** `/pin TEXT` pins the text; without one it lists the pins, and lets the user pin messages. */
export async function showPins(host: TuiSession, text: string): Promise<void> {
  if (text !== '') {
    const { isDone, words } = await pinText(host, text);
    return host.notice(words, isDone ? 'info' : 'error');
  }
  const { engine } = host.parts;
  const { id } = host.thread;
  await browseThread(host, 'Pinned notes', async ({ story, view }) =>
    pinsPage(story, await engine.stored.pins(id), pinActs(host, story, view)),
  );
}

function pinActs(host: TuiSession, story: ThreadStory, view: BrowseView): PinActs {
  const act = async (wish: Promise<PinResult>): Promise<void> => {
    const { words } = await wish;
    const pins = await host.parts.engine.stored.pins(host.thread.id);
    view.reset(pinsPage(story, pins, pinActs(host, story, view)));
    view.open(browsableText({ title: 'Note', text: () => words }));
    host.parts.stage.draw();
  };
  return {
    pin: (text) => host.run(act(pinText(host, text))),
    remove: (pin) => host.run(act(unpin(host, pin.id))),
  };
}

type PinResult = { readonly isDone: boolean; readonly words: string };
const longestShown = 200;

export async function pinText(host: TuiSession, text: string): Promise<PinResult> {
  const { id, place } = host.thread;
  if (place === undefined) return { isDone: false, words: 'Nothing was sent yet. Send a message first.' };
  if (host.isBusy) {
    // A thread can only be changed as a whole while idle. The model reads pins with the next turn in any case.
    host.flow.queue(draftFromText(`/pin ${text}`));
    const words = 'Capstan pins the note when this turn has ended: the model reads it from the next turn on.';
    return { isDone: true, words };
  }
  const done = await changeWholeThread(host, (stored) => stored.pin(id, text));
  if (done.kind === 'refused') return { isDone: false, words: outcomeText(done.outcome) };
  const said = done.pin.text.slice(0, longestShown).toWellFormed();
  const words = [
    `Pinned as note ${done.pins.length}: ${said}${said.length < done.pin.text.length ? '…' : ''}`,
    'The model reads it with the next turn, and again after every checkpoint. /pin lists and removes notes.',
    ...done.notices.map(outcomeText),
  ];
  return { isDone: true, words: words.join('\n') };
}

/** `which`: its number or id. */
async function unpin(host: TuiSession, which: string): Promise<PinResult> {
  const done = await changeWholeThread(host, (stored) => stored.unpin(host.thread.id, which));
  if (done.kind === 'refused') return { isDone: false, words: outcomeText(done.outcome) };
  return { isDone: true, words: 'The note is removed. The next turn informs the model that it no longer applies.' };
}

type PinActs = { pin(text: string): void; remove(pin: Pin): void };
const longestLabel = 400;

export function pinsPage(story: ThreadStory, pins: readonly Pin[], acts: PinActs): BrowseList {
  const about = [
    'The model reads pinned notes word for word, again after every checkpoint. /pin TEXT pins a text; in /context, p pins an item.',
  ];
  const remove: BrowseAction = {
    key: 'x',
    does: 'removes the note',
    press: (index) => pins[index] && acts.remove(pins[index]),
  };
  return listPage('Pinned notes', [...pins, undefined], {
    head: (look) => sentenceRows(about, look),
    row: (pin, _look, index) => [
      plain(pin === undefined ? 'pin a message of this conversation' : `${index + 1}. ${beginning(pin.text)}`),
    ],
    open(pin, index) {
      if (pin === undefined) return messagesPage(story, acts);
      const actions = [{ ...remove, press: () => acts.remove(pin) }];
      return browsableText({ title: `note ${index + 1}`, about: [`Note ${pin.id}`], text: () => pin.text, actions });
    },
    actions: pins.length === 0 ? [] : [remove],
  });
}

function messagesPage({ state, turnOf }: ThreadStory, acts: PinActs): BrowseList {
  const said = historyEntries(state.history)
    .filter(({ item, origin }) => item.type === 'message' && (origin.family === 'user' || origin.family === 'model'))
    .toReversed();
  const textOf = (item: Item): string => itemText(item).trim();
  return listPage('Pin a message', said, {
    enter: 'pins it',
    row({ item, origin }) {
      const turn = turnOf.get(item);
      const who = `${turn === undefined ? '' : `turn ${turn}, `}${origin.family === 'user' ? 'you' : 'the model'}: `;
      return [styled(who, dimStyle), plain(beginning(textOf(item)))];
    },
    open: ({ item }) => acts.pin(textOf(item)),
    empty: 'Nothing was said yet.',
  });
}

const beginning = (text: string): string => cleanLine(text.slice(0, longestLabel));
