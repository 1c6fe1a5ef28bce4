import type { LeftOutMessages } from '../fragments/checkpoint-messages.ts';
import type { TextGap, TextRange } from '../fragments/text/cut-and-fence-text.ts';
import { isInjectedContext, recogniseFragment } from '../world/recognise-fragments.ts';
import { defined } from '../../base/objects.ts';
import { type InputAuthor, nonUserAuthor, type NonUserAuthor, readAuthor } from '../../protocol/user-input.ts';
import { isMessage, type Item } from '../../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt, trueAt } from '../../protocol/json.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { type ProviderName, readProviderName } from '../../protocol/provider-name.ts';

/** Source of a model-visible item. Stored beside the item in its line, never derived from its text. */
export type EntryOrigin =
  /** Words of the user, or of an author in the user's place. */
  | { readonly family: 'user'; readonly author?: NonUserAuthor }
  | { readonly family: 'model' }
  | { readonly family: 'tool' }
  /** Inserted by the program that drives the engine. */
  | { readonly family: 'client' }
  /** Injected by Capstan; `kinds` names the fragment kind of each part. Older lines have no cause. */
  | { readonly family: 'context'; readonly kinds: readonly string[]; readonly cause?: EntryCause };

/** Why context was injected. `reinjection`: everything was sent again, because nothing proves what the model knows. */
export type EntryCause = (typeof causes)[number];
const causes = ['initial', 'change', 'reinjection', 'event'] as const;

export interface HistoryEntry {
  readonly item: Item;
  readonly origin: EntryOrigin;
  readonly turn?: TurnId;
  /** The turn's number in the thread, from 1. Older lines and other programs omit it. */
  readonly number?: number;
  /** Quotes of the user in a checkpoint's text, in the order of writing. */
  readonly words?: readonly QuotedMessage[];
  readonly summary?: SummaryRange;
  /** The user's words in answers to questions about this item's call. Folding derives them; no line stores them. */
  readonly said?: readonly string[];
  /** For an opaque item: its maker, if recorded. It is sent only to that provider. */
  readonly maker?: ProviderName;
}

/** A source of words besides the user's messages: a hook, a program, a command that the user ran, or an answer. */
export type OtherSpeaker = (typeof otherSpeakers)[number];
const otherSpeakers = ['hook', 'program', 'shell', 'answer'] as const;

/** A message of the user, or of the user's setup, quoted word for word in our text. */
export interface QuotedMessage extends TextRange {
  readonly id: string;
  readonly turn?: TurnId;
  readonly number?: number;
  /** The speaker; absent: the user, or the author in the user's place. */
  readonly by?: OtherSpeaker;
  /** The author of words that gave a turn its work. Absent if the user wrote them. */
  readonly author?: NonUserAuthor;
  /** A model chose it as the request that defines the active task. */
  readonly task?: true;
  readonly endedEarly?: true;
  readonly cut?: true;
  /** For cut text: the places of its marks, relative to its start, and what they replace. */
  readonly gaps?: readonly TextGap[];
  /** For cut text: bytes per token by which its marks count, estimated for the whole text. Absent: four. */
  readonly bytesPerToken?: number;
  /** The part that a model quoted as the request, relative to its start. */
  readonly request?: TextRange;
  /** Its pictures, as a range of the item's content parts. */
  readonly pictures?: readonly [from: number, to: number];
  readonly picturesLeftOut?: number;
  readonly picturesLeftOutTokens?: number;
  /** Earlier turns in which the user wrote exactly the same. */
  readonly alsoIn?: readonly number[];
  readonly leftOutBefore?: LeftOutMessages;
}

export interface SummaryRange extends TextRange {
  readonly model?: string;
  readonly number?: number;
  /** Summaries of earlier checkpoints kept in the same text because this one is thin, oldest first. */
  readonly earlier?: readonly SummaryRange[];
}

/** A request for work: a turn begins here, and reasoning before it belongs to earlier turns. */
export function isTurnBoundary({ item, origin }: HistoryEntry): boolean {
  if (origin.family === 'context') return origin.kinds.includes('turn-continued');
  return origin.family === 'user' || item.type === 'agent_message';
}

/** True if the model made it in a response, whose usage covers it. */
export const isModelMade = ({ item, origin }: HistoryEntry): boolean =>
  origin.family === 'model' && item.type !== 'agent_message';

/** Another program's summary: a message in the user's role that matches no kind of ours. */
export function isForeignSummary({ item, origin }: HistoryEntry): boolean {
  if (origin.family !== 'context' || origin.kinds.length !== 1 || origin.kinds[0] !== 'foreign') return false;
  return isMessage(item) && item.role === 'user';
}

export function writerOf(entry: HistoryEntry): InputAuthor | undefined {
  const { item, origin } = entry;
  if (!isMessage(item) || item.role !== 'user') return undefined;
  if (origin.family === 'user') return origin.author;
  if (isForeignSummary(entry)) return 'earlier-summary';
  return origin.family === 'context' ? 'program' : undefined;
}

/** Line metadata with everything about an entry beyond its item. Other programs preserve and ignore it. */
export function entryMetadata(entry: Omit<HistoryEntry, 'item'> & Partial<Pick<HistoryEntry, 'item'>>): JsonObject {
  const { item: _item, ...known } = entry;
  return { capstan: known as unknown as JsonObject };
}

/** True if the line records its item's origin; then nothing is inferred from the item's text. */
export const hasOrigin = (metadata: JsonObject | undefined): boolean =>
  readOrigin(objectAt(metadata, 'capstan')) !== undefined;

export function entryFromLine(item: Item, metadata: JsonObject | undefined): HistoryEntry {
  const ours = objectAt(metadata, 'capstan');
  const origin = readOrigin(ours) ?? guessOrigin(item);
  if (ours === undefined) return { item, origin };
  return {
    item,
    origin,
    turn: stringAt(ours, 'turn') as TurnId | undefined,
    number: countAt(ours, 'number'),
    words: readWords(ours),
    summary: readSummary(ours['summary']),
    maker: readProviderName(ours['maker']),
  };
}

function readWords(ours: JsonObject): readonly QuotedMessage[] | undefined {
  return arrayAt(ours, 'words')?.flatMap((value): QuotedMessage[] => {
    const place = readPlace(value);
    if (!isJsonObject(value) || place === undefined || typeof value['id'] !== 'string') return [];
    const { id, pictures, alsoIn, bytesPerToken: rate } = value;
    const turn = stringAt(value, 'turn') as TurnId | undefined;
    const known = {
      by: otherSpeakers.find((speaker) => speaker === value['by']),
      author: nonUserAuthor(readAuthor(value['author'])),
      task: trueAt(value, 'task'),
      endedEarly: trueAt(value, 'endedEarly'),
      cut: trueAt(value, 'cut'),
      gaps: readGaps(value),
      bytesPerToken: typeof rate === 'number' && rate > 0 ? rate : undefined,
      request: readPlace(value['request']),
      pictures: isNumbers(pictures) && pictures.length === 2 ? (pictures as [number, number]) : undefined,
      picturesLeftOut: countAt(value, 'picturesLeftOut'),
      picturesLeftOutTokens: countAt(value, 'picturesLeftOutTokens'),
      alsoIn: isNumbers(alsoIn) ? alsoIn : undefined,
      leftOutBefore: readLeftOut(value['leftOutBefore']),
    };
    return [{ id, ...defined({ turn, number: countAt(value, 'number') }), ...place, ...defined(known) }];
  });
}

function readGaps(value: JsonObject): readonly TextGap[] | undefined {
  return arrayAt(value, 'gaps')?.flatMap((gap): TextGap[] => {
    const place = readPlace(gap);
    const bytes = isJsonObject(gap) ? countAt(gap, 'bytes') : undefined;
    return place === undefined || bytes === undefined ? [] : [{ ...place, bytes }];
  });
}

function readLeftOut(value: Json | undefined): LeftOutMessages | undefined {
  const at = (key: string): number | undefined => (isJsonObject(value) ? countAt(value, key) : undefined);
  const count = at('count');
  if (count === undefined) return undefined;
  return { count, tokens: at('tokens') ?? 0, ...defined({ others: at('others'), from: at('from'), to: at('to') }) };
}

const isNumbers = (value: Json | undefined): value is number[] =>
  Array.isArray(value) && value.every((number) => Number.isSafeInteger(number));

function readSummary(value: Json | undefined): SummaryRange | undefined {
  const place = readPlace(value);
  if (!isJsonObject(value) || place === undefined) return undefined;
  const model = stringAt(value, 'model');
  const earlier = arrayAt(value, 'earlier')?.flatMap((one) => readSummary(one) ?? []);
  return { ...place, ...defined({ model, number: countAt(value, 'number'), earlier }) };
}

function readPlace(value: Json | undefined): TextRange | undefined {
  if (!isJsonObject(value)) return undefined;
  const { start, end } = value;
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}

function countAt(source: JsonObject, key: string): number | undefined {
  const count = source[key];
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

function readOrigin(ours: JsonObject | undefined): EntryOrigin | undefined {
  const origin = ours?.['origin'];
  if (!isJsonObject(origin)) return undefined;
  const family = origin['family'];
  if (family === 'user') return { family, ...defined({ author: nonUserAuthor(readAuthor(origin['author'])) }) };
  if (family === 'model' || family === 'tool' || family === 'client') return { family };
  if (family !== 'context') return undefined;
  const kinds = arrayAt(origin, 'kinds')?.filter((kind) => typeof kind === 'string') ?? [];
  return { family, kinds, ...defined({ cause: causes.find((known) => known === origin['cause']) }) };
}

/** A part that matches no kind is named `foreign`. */
function guessOrigin(item: Item): EntryOrigin {
  if (item.type.endsWith('_output')) return { family: 'tool' };
  if (item.type !== 'message' || item['role'] === 'assistant') return { family: 'model' };
  const role = String(item['role']);
  if (role === 'user' && !isInjectedContext(item)) return { family: 'user' };
  const parts = isMessage(item) ? item.content : [];
  const kinds = parts.map(({ text }) => (typeof text === 'string' && recogniseFragment(role, text)) || 'foreign');
  return { family: 'context', kinds };
}
