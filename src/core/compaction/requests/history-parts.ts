import { isMessage, type Item, messageText } from '../../../protocol/item.ts';
import { stringAt } from '../../../protocol/json.ts';
import { estimateTokens, firstBytes, truncateMiddle } from '../../fragments/text/truncate.ts';
import { type HistoryEntry, isTurnBoundary } from '../../history/entry.ts';
import { historyEntries } from '../../history/history.ts';
import { pairedItem } from '../../history/sent-items.ts';
import { itemTokens } from '../../history/token-counts.ts';
import type { CompactionPlan, CompactionRequest, CompactionSource, RequestMessage } from '../plan/compaction-plan.ts';
import { isToolOutput, stubItem } from './item-stub.ts';

export interface HistoryPart extends ItemUnit {
  readonly stubbed: readonly number[];
  /** False if no model reads the part, as nothing of it fits or there are too many parts: code makes the notes. */
  readonly sent: boolean;
}

/**
 * Splits the input from `from` on into parts of up to `capacity` tokens, oldest first. The last is for the checkpoint:
 * it is filled first, and empty if the newest items do not fit. Of the others, `most` are sent.
 */
export function cutIntoParts(source: CompactionSource, from: number, capacity: number, most: number) {
  const units = splitIntoItemUnits(source.input, from).map((unit) => measure(source.input, unit, capacity));
  const begins = itemMatcher(source, isTurnBoundary);
  const newestFirst: HistoryPart[] = [];
  let end = units.length;
  const { length } = source.input;
  if (units[end - 1]?.fits !== true) newestFirst.push({ from: length, to: length, stubbed: [], sent: true });
  while (end > 0) {
    const start = units[end - 1]!.fits ? startOfPart(units, end, capacity, (at) => begins(source.input[at]!)) : end - 1;
    newestFirst.push(joined(units.slice(start, end)));
    end = start;
  }
  let sent = 0;
  const mostSent = newestFirst.map((part) => (part.sent && ++sent > most + 1 ? { ...part, sent: false } : part));
  return withNotesJoined(mostSent.toReversed());
}

function withNotesJoined(parts: readonly HistoryPart[]): readonly HistoryPart[] {
  const result: HistoryPart[] = [];
  for (const part of parts) {
    const before = result.at(-1);
    if (before === undefined || before.sent || part.sent) result.push(part);
    else result[result.length - 1] = { ...part, from: before.from };
  }
  return result;
}

type MeasuredUnit = ItemUnit & { readonly tokens: number; readonly stubbed: readonly number[]; readonly fits: boolean };
type MeasuredUnits = readonly MeasuredUnit[];

/** Shortens an oversized unit where that gains most, outputs first. */
function measure(input: readonly Item[], { from, to }: ItemUnit, capacity: number): MeasuredUnit {
  const places = Array.from({ length: to - from }, (_, offset) => from + offset);
  let tokens = places.reduce((sum, at) => sum + sentWeight(input[at]!, false), 0);
  const gain = (at: number): number => sentWeight(input[at]!, false) - sentWeight(input[at]!, true);
  const stubbed: number[] = [];
  if (tokens > capacity) {
    const rank = (at: number): number => Number(isToolOutput(input[at]!));
    for (const at of places.toSorted((a, b) => rank(b) - rank(a) || gain(b) - gain(a) || a - b)) {
      if (tokens <= capacity) break;
      if (gain(at) <= 0) continue;
      stubbed.push(at);
      tokens -= gain(at);
    }
  }
  return { from, to, tokens, stubbed: stubbed.toSorted((a, b) => a - b), fits: tokens <= capacity };
}

/** Goes back as far as the capacity allows, then forward to a turn's start if half of the capacity stays used. */
function startOfPart(units: MeasuredUnits, end: number, capacity: number, beginsTurn: (at: number) => boolean): number {
  let [start, tokens] = [end, 0];
  while (start > 0 && units[start - 1]!.fits && tokens + units[start - 1]!.tokens <= capacity) {
    start--;
    tokens += units[start]!.tokens;
  }
  if (start === 0 || !units[start - 1]!.fits) return start;
  for (let at = start; at < end && tokens >= capacity / 2; at++) {
    if (beginsTurn(units[at]!.from)) return at;
    tokens -= units[at]!.tokens;
  }
  return start;
}

const joined = (units: MeasuredUnits): HistoryPart => ({
  from: units[0]!.from,
  to: units.at(-1)!.to,
  stubbed: units.flatMap(({ stubbed }) => stubbed),
  sent: units.every(({ fits }) => fits),
});

/** Matches the input items that come from wanted entries, even if they were changed but kept their id. */
export function itemMatcher({ history }: CompactionSource, isWanted: (entry: HistoryEntry) => boolean) {
  const wanted = historyEntries(history).filter(isWanted);
  const items = new Set(wanted.map(({ item }) => item));
  const ids = new Set(wanted.flatMap(({ item }) => stringAt(item, 'id') ?? []));
  return (item: Item): boolean => items.has(item) || ids.has(stringAt(item, 'id') ?? '');
}

/** Items that only make sense together; `to` is exclusive. */
export type ItemUnit = { readonly from: number; readonly to: number };

/** The smallest runs into which input may be cut: providers refuse half a pair, and reasoning alone. */
export function splitIntoItemUnits(input: readonly Item[], from: number): readonly ItemUnit[] {
  const reach = reaches(input, from);
  const units: ItemUnit[] = [];
  let [start, last] = [from, from];
  for (let index = from; index < input.length; index++) {
    last = Math.max(last, reach.get(index) ?? index);
    if (index < last) continue;
    units.push({ from: start, to: index + 1 });
    [start, last] = [index + 1, index + 1];
  }
  return units;
}

/** Maps the first item of each group to its last. */
function reaches(input: readonly Item[], from: number): ReadonlyMap<number, number> {
  const reach = new Map<number, number>();
  const join = (one: number, other: number): void => {
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    reach.set(first, Math.max(last, reach.get(first) ?? first));
  };
  // Some providers reuse call ids, so each answer belongs to the nearest call before it.
  const calls = new Map<string, number>();
  const early = new Map<string, number>();
  for (let index = from; index < input.length; index++) {
    const item = input[index]!;
    if (item.type === 'reasoning' && index + 1 < input.length) join(index, index + 1);
    const paired = pairedItem(item);
    if (paired?.half === 'call') {
      const answer = early.get(paired.id);
      if (answer !== undefined) join(answer, index);
      early.delete(paired.id);
      calls.set(paired.id, index);
    } else if (paired?.half === 'answer') {
      const call = calls.get(paired.id);
      if (call !== undefined) join(call, index);
      else if (!early.has(paired.id)) early.set(paired.id, index);
    }
  }
  return reach;
}

export function requestWeight(plan: CompactionPlan, source: CompactionSource, request: CompactionRequest): number {
  const { from, to, head, tail, outputSchema } = request;
  const stubbed = new Set(request.stubbed);
  let tokens = plan.budget.fixed + messagesWeight(head) + messagesWeight(tail);
  for (let index = from; index < to; index++) tokens += sentWeight(source.input[index]!, stubbed.has(index));
  return tokens + (outputSchema === undefined ? 0 : estimateTokens(JSON.stringify(outputSchema)));
}

export function sentWeight(item: Item, stubbed: boolean): number {
  if (!stubbed) return itemTokens(item);
  const stub = stubItem(item);
  return stub === undefined ? 0 : itemTokens(stub);
}

const messageFrame = 40;
export const textWeight = (text: string): number => messageFrame + written(text);
const written = (text: string): number => estimateTokens(JSON.stringify(text));
export const messagesWeight = (messages: readonly RequestMessage[]): number =>
  messages.reduce((sum, { text }) => sum + textWeight(text), 0);
const leastUseful = 20;
const leastOfNote = 40;

/** Cuts the middle of the text until its message weighs at most `most`; undefined if nothing fits. */
export function cutToFit(text: string, most: number): string | undefined {
  const space = most - messageFrame;
  return cutUntilFit(space, leastUseful, (cut) => cut(text)) ?? (written(text) <= space ? text : undefined);
}

/** Joins all notes, oldest first. If they are too long, the longest are cut to a common length. */
export function fitNotes(notes: readonly string[], most: number): string {
  const each = cutUntilFit(most, leastOfNote, (cut) => notes.map(cut).join('\n\n'));
  // Too many notes to keep a useful piece of each: cut the middle of all, which keeps the oldest and the newest.
  return each ?? cutUntilFit(most, 1, (cut) => cut(notes.join('\n\n'))) ?? '';
}

function cutUntilFit(most: number, least: number, make: (cut: (text: string) => string) => string): string | undefined {
  for (let limit = most; limit >= least; limit = Math.floor(limit * 0.8)) {
    const text = make((whole) => truncateMiddle(whole, { mode: 'tokens', limit }));
    if (written(text) <= most) return text;
  }
  return undefined;
}

const most = { bytes: 200, messages: 20, files: 40 } as const;
type Speakers = { readonly isUsers: (item: Item) => boolean; readonly isPrograms: (item: Item) => boolean };

/** Notes on a part that no model summarised: beginnings of its messages, and files of its patches. */
export function notesWithoutModel(items: readonly Item[], { isUsers, isPrograms }: Speakers): string {
  const said = items.flatMap((item): string[] => {
    if (!isMessage(item)) return [];
    const model = item.role === 'assistant' ? 'Assistant' : undefined;
    const who = isPrograms(item) ? 'Program' : isUsers(item) ? 'User' : model;
    const text = messageText(item).trim();
    return who === undefined || text === '' ? [] : [`- ${who}: ${beginning(text)}`];
  });
  const files = [...new Set(items.flatMap(patchedFiles))].map((file) => `- ${file}`);
  return [
    'Notes made without a model, from how messages begin:',
    ...newest(said, most.messages),
    ...(files.length === 0 ? [] : ['Files in patches:', ...newest(files, most.files)]),
  ].join('\n');
}

function beginning(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const shown = firstBytes(line, most.bytes);
  return shown === line ? line : `${shown}…`;
}

function newest(lines: readonly string[], count: number): readonly string[] {
  if (lines.length <= count) return lines;
  return [`- (${lines.length - count} older ones are not shown)`, ...lines.slice(-count)];
}

function patchedFiles(item: Item): readonly string[] {
  const patch = stringAt(item, 'input') ?? '';
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (?<path>.{1,300})$/gm)].map(
    ({ groups }) => groups!['path']!,
  );
}
