import { recognise } from '../fragments/recognise.ts';
import { isImageLabel } from '../fragments/user-image.ts';
import { isMessage, type Item, messageText, type MessageItem } from '../protocol/item.ts';
import { stableItemId } from '../protocol/item-id.ts';
import type { TurnId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Entry, QuotedWords } from './entry.ts';
import { entries, type History } from './history.ts';

/** A message of the user, as far as it is still there. */
export interface UserWords {
  readonly id: string;
  readonly turn?: TurnId;
  /** Its texts, a line end between two of them. */
  readonly text: string;
  /** The message while it stands in history. Of words that a checkpoint quotes, only the pictures may stand there. */
  readonly entry?: Entry;
  /** Calls of tools followed it: there was work on it. */
  readonly worked: boolean;
  /** How many of those calls history still shows. */
  readonly calls: number;
  /** It defined the task at the newest checkpoint. */
  readonly task: boolean;
  /** Only a part of it is left. */
  readonly cut: boolean;
}

/**
 * Every message of the user, oldest first: those that stand in history, and those that the text of a checkpoint quotes.
 * A quote of no length says where a message of its own belongs in the order, and what is known about it.
 */
export function usersWords(history: History): readonly UserWords[] {
  const rows: Row[] = [];
  const known = new Map<string, Row>();
  const rowOf = (id: string, place: number, text: string): Row => {
    const found = known.get(id);
    if (found !== undefined && (found.text === '' || text === '' || found.text === text)) return found;
    const row: Row = {
      id: found === undefined && id !== '' ? id : stableItemId('msg', `${place}:${text}`),
      text: '',
      worked: false,
      calls: 0,
      task: false,
      cut: false,
    };
    rows.push(row);
    known.set(row.id, row);
    return row;
  };
  for (const [place, entry] of entries(history).entries()) {
    const { item, origin } = entry;
    if (origin.family === 'user' && isMessage(item)) addMessage(rowOf, place, entry, item);
    else if (origin.family === 'context') addQuotes(rowOf, place, entry);
    // Whatever a checkpoint has put behind them, the words that were said last are the last of the list.
    else if (origin.family === 'model' && item.type.endsWith('_call')) countCall(rows.at(-1));
  }
  return rows.filter(({ text, entry }) => text !== '' || entry !== undefined);
}

type Row = { -readonly [Key in keyof UserWords]: UserWords[Key] };
type RowOf = (id: string, place: number, text: string) => Row;

function addMessage(rowOf: RowOf, place: number, entry: Entry, item: MessageItem): void {
  const text = saidText(item);
  const { id } = item;
  const row = rowOf(typeof id === 'string' ? id : '', place, text);
  row.entry = entry;
  if (text !== '') row.text = text;
  if (entry.turn !== undefined) row.turn = entry.turn;
  for (const quote of entry.words ?? []) addFlags(row, quote);
}

function addQuotes(rowOf: RowOf, place: number, { item, words = [] }: Entry): void {
  const whole = isMessage(item) ? messageText(item) : '';
  for (const quote of words) {
    const text = whole.slice(quote.start, quote.end);
    const row = rowOf(quote.id, place, text);
    if (text !== '') row.text = text;
    if (quote.turn !== undefined) row.turn = quote.turn;
    addFlags(row, quote);
  }
}

function addFlags(row: Row, { worked, task, cut }: QuotedWords): void {
  if (worked) row.worked = true;
  if (task) row.task = true;
  if (cut) row.cut = true;
}

function countCall(row: Row | undefined): void {
  if (row === undefined) return;
  row.worked = true;
  row.calls++;
}

/** What the user wrote in a message: neither the names of pictures nor context that stands beside it. */
export function saidText(item: MessageItem): string {
  return saidParts(item)
    .map(({ text }) => text as string)
    .join('\n');
}

/** Pictures, their names, and whatever else is neither the user's text nor context. */
export function otherParts(item: Item): readonly JsonObject[] {
  if (!isMessage(item)) return [];
  const said = new Set(saidParts(item));
  return item.content.filter((part) => !said.has(part) && !isContext(item, part));
}

function saidParts(item: MessageItem): readonly JsonObject[] {
  const texts = item.content.filter(
    ({ text }, index) => typeof text === 'string' && !isImageLabel(item.content, index),
  );
  const said = texts.filter((part) => !isContext(item, part));
  // A message that is nothing but such text, and is known to be the user's, quotes it.
  return said.length === 0 ? texts : said;
}

function isContext({ role }: MessageItem, { text }: JsonObject): boolean {
  return typeof text === 'string' && recognise(role, text) !== undefined;
}
