import { type Entry, isBoundary } from '../../history/entry.ts';
import { entries } from '../../history/history.ts';
import type { Item } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';
import { sentWeight } from './fits.ts';
import type { CompactionSource } from '../plan/plan.ts';
import { isOutput } from './stub.ts';
import { pairedItem } from '../../history/missing-answer.ts';

/** A run of the projected history that is looked at in one request. */
export interface Part extends Unit {
  /** Places that are sent as a notice. */
  readonly stubbed: readonly number[];
  /** False: nothing of it can be sent, or there are too many parts, and code makes the notes. */
  readonly sent: boolean;
}

/**
 * The input from `from` on as parts that weigh up to `capacity` tokens, oldest first, of which `most` are sent before
 * the last. The last one is asked for the checkpoint itself; it is filled up
 * first, because the newest matters most, and it is empty where the newest items cannot be sent.
 */
export function cutIntoParts(
  source: CompactionSource,
  { from, capacity, most }: { readonly from: number; readonly capacity: number; readonly most: number },
): readonly Part[] {
  const units = unitsOf(source.input, from).map((unit) => measure(source.input, unit, capacity));
  const begins = itemsWhere(source, isBoundary);
  const newestFirst: Part[] = [];
  let end = units.length;
  const { length } = source.input;
  if (units[end - 1]?.fits !== true) newestFirst.push({ from: length, to: length, stubbed: [], sent: true });
  while (end > 0) {
    const start = units[end - 1]!.fits ? startOfPart(units, end, capacity, (at) => begins(source.input[at]!)) : end - 1;
    newestFirst.push(joined(units.slice(start, end)));
    end = start;
  }
  return withNotesJoined(withMostSent(newestFirst, most).toReversed());
}

function withMostSent(newestFirst: readonly Part[], most: number): readonly Part[] {
  let sent = 0;
  return newestFirst.map((part) => (part.sent && ++sent > most + 1 ? { ...part, sent: false } : part));
}

/** Parts side by side that are not sent are one. */
function withNotesJoined(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const before = result.at(-1);
    if (before === undefined || before.sent || part.sent) result.push(part);
    else result[result.length - 1] = { ...part, from: before.from };
  }
  return result;
}

interface MeasuredUnit extends Unit {
  readonly tokens: number;
  readonly stubbed: readonly number[];
  readonly fits: boolean;
}

/** A unit that is too large for a part is shortened where that gains most, outputs before anything else. */
function measure(input: readonly Item[], { from, to }: Unit, capacity: number): MeasuredUnit {
  const places = Array.from({ length: to - from }, (_, offset) => from + offset);
  let tokens = places.reduce((sum, at) => sum + sentWeight(input[at]!, false), 0);
  const gain = (at: number): number => sentWeight(input[at]!, false) - sentWeight(input[at]!, true);
  const stubbed: number[] = [];
  if (tokens > capacity) {
    const order = places.toSorted(
      (a, b) => Number(isOutput(input[b]!)) - Number(isOutput(input[a]!)) || gain(b) - gain(a) || a - b,
    );
    for (const at of order) {
      if (tokens <= capacity) break;
      if (gain(at) <= 0) continue;
      stubbed.push(at);
      tokens -= gain(at);
    }
  }
  return { from, to, tokens, stubbed: stubbed.toSorted((a, b) => a - b), fits: tokens <= capacity };
}

/** As far back as the capacity goes, and then forward again to where a turn begins, if that leaves half of it. */
function startOfPart(
  units: readonly MeasuredUnit[],
  end: number,
  capacity: number,
  beginsTurn: (at: number) => boolean,
): number {
  let start = end;
  let tokens = 0;
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

function joined(units: readonly MeasuredUnit[]): Part {
  return {
    from: units[0]!.from,
    to: units.at(-1)!.to,
    stubbed: units.flatMap(({ stubbed }) => stubbed),
    sent: units.every(({ fits }) => fits),
  };
}

/** Whether an item of the input is that of a wanted entry: as it stands in history, or changed under the same id. */
export function itemsWhere(
  { history }: CompactionSource,
  isWanted: (entry: Entry) => boolean,
): (item: Item) => boolean {
  const wanted = entries(history).filter(isWanted);
  const items = new Set(wanted.map(({ item }) => item));
  const ids = new Set(wanted.flatMap(({ item }) => stringAt(item, 'id') ?? []));
  return (item) => items.has(item) || ids.has(stringAt(item, 'id') ?? '');
}

/** Items that only make sense together; the first that does not belong to it is `to`. */
export interface Unit {
  readonly from: number;
  readonly to: number;
}

/** The smallest runs into which input may be cut: providers refuse half of a pair, and thoughts alone. */
export function unitsOf(input: readonly Item[], from: number): readonly Unit[] {
  const reach = reaches(input, from);
  const units: Unit[] = [];
  let start = from;
  let last = from;
  for (let index = from; index < input.length; index++) {
    last = Math.max(last, reach.get(index) ?? index);
    if (index < last) continue;
    units.push({ from: start, to: index + 1 });
    start = index + 1;
    last = start;
  }
  return units;
}

/** For the first item of what belongs together, its last. */
function reaches(input: readonly Item[], from: number): ReadonlyMap<number, number> {
  const reach = new Map<number, number>();
  const join = (one: number, other: number): void => {
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    reach.set(first, Math.max(last, reach.get(first) ?? first));
  };
  // Some providers use the names of calls again, so each answer belongs to the nearest call before it.
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
