import { parseHookText } from '../fragments/events/hooks-skills-and-plugins.ts';
import { recogniseFragment } from '../world/recognise-fragments.ts';
import { isImageLabel } from '../fragments/answers/content-parts.ts';
import { isMessage, messageText, type MessageItem } from '../../protocol/item.ts';
import { stableItemId, type TurnId } from '../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { HistoryEntry, OtherSpeaker, QuotedMessage } from './entry.ts';
import { isUserShellCommand } from './limit-output.ts';
import { historyEntries, type History } from './history.ts';

type KnownWords = Omit<QuotedMessage, 'start' | 'end' | 'pictures' | 'picturesLeftOut' | 'task' | 'cut'>;

/** A message of the user, or of the user's setup, as far as it is preserved. */
export interface PreservedMessage extends KnownWords {
  /** Its texts, separated by line ends. */
  readonly text: string;
  /** Its pictures with their labels, and its other parts beside text. */
  readonly pictures: readonly JsonObject[];
  readonly picturesLeftOut: number;
  /** At the newest checkpoint a model chose it as the request that defines the active task. */
  readonly task: boolean;
  readonly cut: boolean;
}

/** All messages of the user, oldest first, in history or quoted by a checkpoint. */
export const messagesOfUser = (history: History, turns: FailedTurns = {}): readonly PreservedMessage[] =>
  messagesOfUserAndSetup(history, turns).filter(({ by }) => by === undefined);

/** Unlike a stopped turn, a failed one leaves no trace in history. */
type FailedTurns = { readonly failed?: readonly TurnId[] };

/** Also includes what the user's setup sent to the model: hooks, and the program that drives the thread. */
export function messagesOfUserAndSetup(history: History, turns: FailedTurns = {}): readonly PreservedMessage[] {
  const { failed = [] } = turns;
  const rows: Row[] = [];
  /** The newest turn that continued a message's work. */
  const continued = new Map<Row, TurnId | undefined>();
  const known = new Map<string, Row>();
  const rowOf = (id: string, place: number, text: string): Row => {
    const found = known.get(id);
    if (found !== undefined && (found.text === '' || text === '' || found.text === text)) return found;
    const own = found === undefined && id !== '' ? id : stableItemId('msg', `${place}:${text}`);
    const row: Row = { id: own, text: '', pictures: [], picturesLeftOut: 0, task: false, cut: false };
    rows.push(row);
    known.set(row.id, row);
    return row;
  };
  for (const [place, entry] of historyEntries(history).entries()) {
    const { item, origin } = entry;
    addAnswers(rowOf, place, entry, rows.at(-1)?.number);
    if (!isMessage(item)) continue;
    const other = otherWords(entry, item);
    if (other !== undefined) addOther(rowOf, place, entry, other, rows.at(-1)?.number);
    else if (origin.family === 'user') addMessage(rowOf, place, entry, item);
    else if (origin.family === 'context') addQuotes(rowOf, place, entry, item);
    const newest = newestOf(rows);
    if (origin.family !== 'context' || newest === undefined) continue;
    if (origin.kinds.includes('turn-continued')) continued.set(newest, entry.turn);
    if (!origin.kinds.includes('turn-aborted')) continue;
    newest.endedEarly = true;
    continued.delete(newest);
  }
  for (const id of failed) {
    const newest = newestOf(rows.filter(({ turn }) => turn === id));
    if (newest !== undefined) newest.endedEarly = true;
  }
  for (const [row, turn] of continued) if (turn === undefined || !failed.includes(turn)) delete row.endedEarly;
  return rows.filter(({ text, pictures, picturesLeftOut }) => text !== '' || pictures.length + picturesLeftOut > 0);
}

const newestOf = (rows: readonly Row[]): Row | undefined => rows.findLast(({ by }) => by === undefined);
type Row = { -readonly [Key in keyof PreservedMessage]: PreservedMessage[Key] };
type RowOf = (id: string, place: number, text: string) => Row;

function addMessage(rowOf: RowOf, place: number, entry: HistoryEntry, item: MessageItem): void {
  const text = saidText(item);
  const row = rowOf(stringAt(item, 'id') ?? '', place, text);
  if (text !== '') row.text = text;
  row.pictures = otherParts(item);
  addKnown(row, { ...entry, author: entry.origin.family === 'user' ? entry.origin.author : undefined });
  for (const quote of entry.words ?? []) addKnown(row, quote);
}

type OtherWords = Pick<PreservedMessage, 'text' | 'pictures'> & { readonly by: OtherSpeaker };
const hookKinds: ReadonlySet<string> = new Set(['hook-prompt', 'hook-context']);

function otherWords({ origin }: HistoryEntry, item: MessageItem): OtherWords | undefined {
  if (origin.family === 'client' && item.role !== 'assistant')
    return { by: isUserShellCommand(item) ? 'shell' : 'program', text: saidText(item), pictures: otherParts(item) };
  if (origin.family !== 'context' || origin.kinds.length === 0) return undefined;
  if (!origin.kinds.every((kind) => hookKinds.has(kind))) return undefined;
  const texts = item.content.flatMap(({ text }) => (typeof text === 'string' ? (parseHookText(text) ?? text) : []));
  return { by: 'hook', text: texts.join('\n'), pictures: [] };
}

/** It belongs to the turn `number` of the preceding message. */
function addOther(rowOf: RowOf, place: number, entry: HistoryEntry, other: OtherWords, number?: number): void {
  const row = rowOf(stringAt(entry.item, 'id') ?? '', place, other.text);
  Object.assign(row, other);
  addKnown(row, { ...entry, number: entry.number ?? number });
}

function addAnswers(rowOf: RowOf, place: number, { item, turn, said = [] }: HistoryEntry, number?: number): void {
  for (const [index, text] of said.entries()) {
    const row = rowOf(stableItemId('msg', `answer:${stringAt(item, 'id') ?? place}:${index}`), place, text);
    Object.assign(row, { text, by: 'answer' });
    addKnown(row, { number, turn });
  }
}

function addQuotes(rowOf: RowOf, place: number, { words = [] }: HistoryEntry, item: MessageItem): void {
  const whole = messageText(item);
  for (const quote of words) {
    const text = whole.slice(quote.start, quote.end);
    const row = rowOf(quote.id, place, text);
    if (text !== '') row.text = text;
    if (quote.pictures !== undefined) row.pictures = item.content.slice(...quote.pictures);
    addKnown(row, quote);
  }
}

function addKnown(row: Row, known: Pick<HistoryEntry, 'turn' | 'number'> & Partial<QuotedMessage>): void {
  for (const key of knownKeys) if (known[key] !== undefined) Object.assign(row, { [key]: known[key] });
}

const aboutSpeaker = ['turn', 'number', 'by', 'author', 'task', 'request', 'endedEarly', 'alsoIn'] as const;
const aboutText = [
  'cut',
  'gaps',
  'leftOutBefore',
  'picturesLeftOut',
  'picturesLeftOutTokens',
  'bytesPerToken',
] as const;
const knownKeys = [...aboutSpeaker, ...aboutText] as const;

/** Labels do not count. */
export const countPictures = (parts: readonly JsonObject[]): number =>
  parts.filter(({ text }) => typeof text !== 'string').length;

/** The user's own text in a message, without picture names and context. */
function saidText(item: MessageItem): string {
  return saidParts(item)
    .map(({ text }) => text as string)
    .join('\n');
}

function otherParts(item: MessageItem): readonly JsonObject[] {
  const said = new Set(saidParts(item));
  return item.content.filter((part) => !said.has(part) && !isContext(item, part));
}

function saidParts(item: MessageItem): readonly JsonObject[] {
  const texts = item.content.filter(({ text }, at) => typeof text === 'string' && !isImageLabel(item.content, at));
  const said = texts.filter((part) => !isContext(item, part));
  // If all of the user's message looks like context, the user quotes it, so all of it counts.
  return said.length === 0 ? texts : said;
}

const isContext = ({ role }: MessageItem, { text }: JsonObject): boolean =>
  typeof text === 'string' && recogniseFragment(role, text) !== undefined;
