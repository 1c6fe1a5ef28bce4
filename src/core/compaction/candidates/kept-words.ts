import { cachePerObject, defined } from '../../../base/objects.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { LeftOutMessages } from '../../fragments/checkpoint-messages.ts';
import { messageItemOfParts } from '../../fragments/message-items.ts';
import type { CutText, TextGap, TextRange } from '../../fragments/text/cut-and-fence-text.ts';
import { cutAround, gapsIn, uncutBytes } from '../../fragments/text/cut-and-fence-text.ts';
import { bytesPerToken, sentBytes, sentTokens } from '../../fragments/text/truncate.ts';
import { textTokens } from '../../history/text-tokens.ts';
import { itemTokens } from '../../history/token-counts.ts';
import { countPictures, type PreservedMessage } from '../../history/user-words.ts';
import type { CompactionBudget } from '../plan/compaction-plan.ts';
import type { Candidate } from './candidate.ts';
import { findQuote } from './match-quote.ts';
import { longestShortMessage, passagesToKeep, divideMessageSpace } from './message-space.ts';

type Messages = readonly PreservedMessage[];
type PictureParts = 'pictures' | 'picturesLeftOut' | 'picturesLeftOutTokens';
type KeptParts = 'text' | 'gaps' | 'bytesPerToken' | PictureParts | 'cut' | 'alsoIn';

export interface KeptMessage extends Required<Pick<PreservedMessage, KeptParts>>, Pick<PreservedMessage, 'request'> {
  readonly words: PreservedMessage;
}

/** Chronological: kept messages, and counts of those left out between them, now or at an earlier checkpoint. */
export type KeptMessageRow = KeptMessage | { readonly leftOut: LeftOutMessages };
export type KeptMessages = { readonly rows: readonly KeptMessageRow[]; readonly counts: Candidate['words'] };

interface WordsWanted {
  /** Messages that a model chose as the active task, in this checkpoint or the one before. */
  readonly tasks: readonly PreservedMessage[];
  /** The checkpoint names them as the active request. Absent: an earlier one did, and newer messages may count. */
  readonly isNamed?: boolean;
  /** The model's quotation of them: the quoted part stays when a message is cut. */
  readonly quote?: string;
  readonly budget: Pick<CompactionBudget, 'words' | 'pictures'>;
}

const leastTokens = 32;
const mostOfRequest = 200;
const frame = 16;
/** True for the user's messages, also those sent into a running turn, for answers, and for commands typed with `!`. */
const isUsers = ({ by }: PreservedMessage): boolean => by === undefined || by === 'shell' || by === 'answer';

/** Precedence: newest message, chosen, first, those since the newest, the user's, others. */
export function selectMessagesToKeep(all: Messages, { tasks, isNamed, quote, budget }: WordsWanted): KeptMessages {
  const { rows, alsoIn, copies } = distinctWords(all);
  const messages = rows.filter(({ by }) => by === undefined);
  const since = rows.slice(rows.findLastIndex(({ by }) => by === undefined) + 1).toReversed();
  const chosen = rows.filter((row) => tasks.some((task) => isSameMessage(row, task)));
  const always = new Set([messages.at(-1), ...chosen, messages[0], since[0]].filter((row) => row !== undefined));
  const order = [...new Set([...always, ...since, ...rows.filter(isUsers).toReversed(), ...rows.toReversed()])];

  const requests = new Map(chosen.map((row) => [row, requestIn(row, quote)]));
  const least = (row: PreservedMessage): number =>
    leastTokens + leastOfRequest(row, requests.get(row), budget.words) + frame;
  const space = divideMessageSpace(
    order.map((row) => ({
      whole: rowTokens(row) + frame,
      shortened: row.text.length > longestShortMessage ? shortenedTokens(row) + frame : undefined,
      least: always.has(row) ? Math.min(least(row), rowTokens(row) + frame) : undefined,
      isActive: isNamed && chosen.includes(row) ? true : undefined,
      isSetup: isUsers(row) ? undefined : true,
    })),
    budget.words,
  );

  const kept = new Map<PreservedMessage, KeptMessage>();
  for (const [place, row] of order.entries()) {
    if (space[place] === 0) continue;
    const { text, gaps, keep } = takeText(row, {
      most: space[place]! - frame,
      least: always.has(row) ? least(row) - frame : 0,
      request: requests.get(row),
    });
    const { pictures, picturesLeftOut, picturesLeftOutTokens = 0 } = row;
    kept.set(row, {
      words: row,
      text,
      gaps,
      bytesPerToken: bytesPerTokenOf(row),
      request: keep,
      pictures,
      picturesLeftOut,
      picturesLeftOutTokens,
      cut: row.cut || text !== row.text,
      alsoIn: alsoIn.get(row) ?? [],
    });
  }
  dropPictures(order, kept, budget.pictures);

  // A message counts as often as the user wrote it: all its copies are kept, cut or dropped alike.
  const counts = { kept: 0, cut: 0, dropped: 0 };
  for (const row of messages) {
    const fate = kept.get(row);
    counts[fate === undefined ? 'dropped' : fate.cut ? 'cut' : 'kept'] += copies.get(row) ?? 1;
  }
  return { rows: inOrder(all, rows, kept), counts };
}

type WordsSpace = { readonly most: number; readonly least: number; readonly request: TextRange | undefined };

function takeText(row: PreservedMessage, { most, least, request }: WordsSpace): CutText {
  const weight = rowTokens(row);
  const gaps = gapsOf(row);
  if (weight <= most) return { text: row.text, gaps, keep: request };
  const passages = row.text.length > longestShortMessage ? passagesOf(row) : [];
  const known = { gaps, perToken: bytesPerTokenOf(row), passages, keep: request };
  // Texts are cut by bytes; one with more tokens than its bytes suggest is cut shorter.
  const tokens = Math.max(least, Math.floor((most * sentTokens(row.text)) / weight));
  const cut = cutAround(row.text, tokens, known);
  // The mark of the cut may be longer than the text cut out: a short message must not become a long one.
  const hasGrown = row.text.length <= longestShortMessage && cut.text.length > longestShortMessage;
  return hasGrown ? cutAround(row.text, Math.floor(tokens * 0.9), known) : cut;
}

/** Tokens of 2,000 bytes of a long message: they hold at most as many characters as a short one. */
const shortenedTokens = (row: PreservedMessage): number =>
  Math.ceil(((longestShortMessage / bytesPerToken) * rowTokens(row)) / sentTokens(row.text));

/** The part of a message that a model quoted as the request, now or at the last checkpoint. */
function requestIn(row: PreservedMessage, quote: string | undefined): TextRange | undefined {
  const quoted = quote === undefined ? undefined : findQuote(row.text, quote);
  // A quoted beginning only identifies the message, and its head stays in any case.
  const isBeginning = quoted !== undefined && row.text.slice(0, quoted.start).trim() === '';
  return isBeginning ? undefined : (quoted ?? row.request);
}

/** Tokens for the quoted part beside the ends, if that is a small part of the space. */
function leastOfRequest({ text }: PreservedMessage, request: TextRange | undefined, budget: number): number {
  if (request === undefined) return 0;
  const marks = leastTokens;
  const most = Math.min(mostOfRequest, Math.floor(budget / 4));
  return Math.min(most, marks + sentTokens(text.slice(request.start, Math.min(request.end, request.start + 4 * most))));
}

const gapsOf = (row: PreservedMessage): readonly TextGap[] => row.gaps ?? (row.cut ? gapsIn(row.text) : []);
/** The larger of a byte estimate and a tokeniser-like count: logs and tables have few bytes per token. */
const rowTokens = cachePerObject(({ text }: PreservedMessage) =>
  Math.max(sentTokens(text), Math.ceil(textTokens(text))),
);
const passagesOf = cachePerObject((row: PreservedMessage) => passagesToKeep(row.text, gapsOf(row)));
const pictureTokens = cachePerObject((part: JsonObject) => itemTokens(messageItemOfParts('', 'user', [part])));

/** Keeps pictures while they fit; from the first that does not, all are left out and counted. */
function dropPictures(order: Messages, kept: Map<PreservedMessage, KeptMessage>, most: number): void {
  let left = most;
  for (const row of order) {
    const found = kept.get(row);
    if (found === undefined || row.pictures.length === 0) continue;
    const fitting: JsonObject[] = [];
    for (const picture of eachPicture(row.pictures)) {
      left -= picturesTokens(picture);
      if (left < 0) break;
      fitting.push(...picture);
    }
    const missing = countPictures(row.pictures) - countPictures(fitting);
    if (missing === 0) continue;
    const picturesLeftOut = row.picturesLeftOut + missing;
    const weight = picturesTokens(row.pictures) - picturesTokens(fitting);
    const picturesLeftOutTokens = found.picturesLeftOutTokens + weight;
    kept.set(row, { ...found, pictures: fitting, picturesLeftOut, picturesLeftOutTokens, cut: true });
  }
}

function eachPicture(parts: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const pictures: JsonObject[][] = [];
  let isOpen = false;
  for (const part of parts) {
    const label = typeof part['text'] === 'string' ? part['text'].trim() : undefined;
    if (isOpen) pictures.at(-1)!.push(part);
    else pictures.push([part]);
    isOpen = label === undefined ? isOpen : !label.startsWith('</');
  }
  return pictures;
}

/** The newest message is always kept, so a kept one follows every gap. */
function inOrder(all: Messages, rows: Messages, kept: ReadonlyMap<PreservedMessage, KeptMessage>) {
  const result: KeptMessageRow[] = [];
  const standing = new Set(rows);
  const leave = (leftOut: LeftOutMessages): void => {
    const last = result.at(-1);
    if (last !== undefined && 'leftOut' in last)
      result[result.length - 1] = { leftOut: together(last.leftOut, leftOut) };
    else result.push({ leftOut });
  };
  for (const row of all) {
    if (row.leftOutBefore !== undefined) leave(row.leftOutBefore);
    const found = kept.get(row);
    if (found !== undefined) result.push(found);
    else if (standing.has(row)) leave(leftOutOf(row));
  }
  return result;
}

function together(one: LeftOutMessages, other: LeftOutMessages): LeftOutMessages {
  const froms = [one.from, other.from].filter((number) => number !== undefined);
  const tos = [one.to, other.to].filter((number) => number !== undefined);
  const ends = froms.length === 0 || tos.length === 0 ? {} : span(Math.min(...froms), Math.max(...tos));
  const others = (one.others ?? 0) + (other.others ?? 0) || undefined;
  return { count: one.count + other.count, ...defined({ others }), tokens: one.tokens + other.tokens, ...ends };
}

function leftOutOf(row: PreservedMessage): LeftOutMessages {
  const others = isUsers(row) ? {} : { others: 1 };
  // Counts the whole message, including earlier cuts, as counted by the marks.
  const ofText = Math.ceil(uncutBytes(row.text, gapsOf(row)) / bytesPerTokenOf(row));
  const tokens = ofText + picturesTokens(row.pictures) + (row.picturesLeftOutTokens ?? 0);
  return { count: 1, ...others, tokens, ...span(row.number, row.number) };
}

const span = (from: number | undefined, to: number | undefined): Pick<LeftOutMessages, 'from' | 'to'> =>
  from === undefined || to === undefined ? {} : { from, to };

/** A cut message keeps the estimate made when it was whole, so that marks of all cuts count alike. */
const bytesPerTokenOf = cachePerObject((row: PreservedMessage): number => {
  const isWhole = row.text !== '' && gapsOf(row).length === 0;
  return isWhole ? sentBytes(row.text) / textTokens(row.text) : (row.bytesPerToken ?? bytesPerToken);
});

const picturesTokens = (parts: readonly JsonObject[]): number =>
  parts.reduce((sum, part) => sum + pictureTokens(part), 0);

/** Keeps the last of identical messages. `copies`: how often each was written, also before a checkpoint. */
function distinctWords(all: Messages) {
  const newest = new Map<string, PreservedMessage>();
  const alsoIn = new Map<PreservedMessage, readonly number[]>();
  const copies = new Map<PreservedMessage, number>();
  const rows = all.toReversed().filter((row) => {
    if (row.pictures.length > 0 || row.picturesLeftOut > 0) return true;
    const said = `${speakerOf(row)}\n${row.text}`;
    const again = newest.get(said);
    if (again === undefined) newest.set(said, row);
    copies.set(again ?? row, (copies.get(again ?? row) ?? 0) + 1 + (row.alsoIn ?? []).length);
    const own = again === undefined ? [] : [row.number ?? []].flat();
    const numbers = [...(row.alsoIn ?? []), ...own, ...(alsoIn.get(again ?? row) ?? [])];
    if (numbers.length > 0) alsoIn.set(again ?? row, numbers.slice(-mostRemembered));
    return again === undefined;
  });
  return { rows: rows.toReversed(), alsoIn, copies };
}

const speakerOf = ({ by, author }: PreservedMessage): string => by ?? (author === undefined ? '' : `author ${author}`);
const mostRemembered = 100;

/** True for the same message, or for two with the same speaker and text but without pictures. */
export function isSameMessage(one: PreservedMessage, other: PreservedMessage): boolean {
  const isText = ({ pictures, picturesLeftOut }: PreservedMessage): boolean => pictures.length + picturesLeftOut === 0;
  if (one.id === other.id) return true;
  return speakerOf(one) === speakerOf(other) && one.text === other.text && isText(one) && isText(other);
}
