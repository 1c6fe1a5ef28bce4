import { contentName } from '../../../fragments/foreign/content-name.ts';
import { entryOf } from '../../../history/entry.ts';
import { defined } from '../../../protocol/defined.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { asItem } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { contextEvents } from '../../../state/recorded-context.ts';
import type { RecordedItem } from '../../../state/recorded-item.ts';
import { readTurnItems, type TurnWithItems } from '../../../state/turn-items.ts';
import type { Line } from '../../../protocol/line.ts';
import { cursorAt } from '../../engine/live/place-cursor.ts';

/** A page of what happened in a thread. */
export interface ItemPage {
  readonly turns: readonly JsonObject[];
  readonly items: readonly JsonObject[];
  /** Continue with `after` set to it; absent on the last page. */
  readonly next?: string;
}

export interface PageOptions {
  /** Only items behind this place. */
  readonly after: number;
  readonly limit: number;
  /** The end of what is there, instead of its beginning. */
  readonly isNewest: boolean;
  /** Characters of one text; what is cut says so. */
  readonly most: number;
}

/** Items in order, each with its place, its turn and its message kind, and the turns that they belong to. */
export function itemPage(lines: readonly Line[], { after, limit, isNewest, most }: PageOptions): ItemPage {
  const { turns, places } = readTurnItems(lines);
  const standing = turns.filter(({ isTakenBack }) => !isTakenBack);
  const all = standing.flatMap((turn) => turn.items.map((item) => ({ turn, item, ordinal: places.get(item) ?? 0 })));
  const behind = all.filter(({ ordinal }) => ordinal > after);
  const shown = isNewest ? behind.slice(-limit) : behind.slice(0, limit);
  const last = shown.at(-1)?.ordinal;
  const byPlace = new Map(lines.map((line, index) => [line.ordinal ?? index, line]));
  const named = new Set(shown.map(({ turn }) => turn));
  return {
    turns: standing.filter((turn) => named.has(turn)).map(turnFields),
    items: shown.map(({ turn, item, ordinal }) => ({
      ordinal,
      turn: turn.number,
      ...shownItem(item, most),
      ...(item.kind === 'context' && valuesIn(byPlace.get(ordinal), most)),
    })),
    ...(!isNewest && behind.length > shown.length && last !== undefined && { next: cursorOf(lines, last) }),
  };
}

/** What context says as values, as far as its line has them: no reader has to parse its text. */
function valuesIn(line: Line | undefined, most: number): JsonObject {
  const item = line === undefined ? undefined : asItem(line.payload);
  if (line === undefined || item === undefined) return {};
  const told = contextEvents(entryOf(item, line.metadata), line.metadata, { turnId: '' as TurnId, place: 0 });
  const known = told.filter(({ value }) => value !== undefined && JSON.stringify(value).length <= most);
  if (known.length === 0) return {};
  return { values: known.map(({ content, cause, value }) => ({ kind: content, cause, value: value ?? null })) };
}

/** Lines of the old form have no ordinals, and are never taken away. */
function cursorOf(lines: readonly Line[], place: number): string {
  const line = lines.find(({ ordinal }) => ordinal === place);
  return line === undefined ? String(place) : cursorAt(place, line);
}

function turnFields({ number, id, startedAt, status, error }: TurnWithItems): JsonObject {
  return { number, ...defined({ id }), started_at: startedAt, status, ...defined({ error }) };
}

function shownItem(item: RecordedItem, most: number): JsonObject {
  return { type: item.kind, message_kind: messageKind(item), ...contentOf(item, most) };
}

/** `plain` for words of the user or the model; for context of the program what it is about, under the names of events. */
function messageKind(item: RecordedItem): string {
  switch (item.kind) {
    case 'user':
    case 'assistant':
      return 'plain';
    case 'context':
      return item.title.split(', ').map(contentName).join(', ');
    default:
      return item.kind;
  }
}

function contentOf(item: RecordedItem, most: number): JsonObject {
  switch (item.kind) {
    case 'user':
      return {
        ...defined({ author: item.author }),
        ...cut(item.texts.join('\n'), most),
        ...(item.pictures.length > 0 && { images: item.pictures.length }),
      };
    case 'assistant':
      return { ...cut(item.text, most), ...defined({ phase: item.phase }) };
    case 'call': {
      const { name, input, output } = item;
      return { name, input: cut(input, most), ...(output && { output: cut(output.text, most) }) };
    }
    default:
      return cut(item.text, most);
  }
}

function cut(text: string, most: number): JsonObject {
  return text.length <= most
    ? { text }
    : { text: text.slice(0, most).toWellFormed(), cut_at: most, characters: text.length };
}
