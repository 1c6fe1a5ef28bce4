import type { TextRange } from '../../fragments/text/cut-and-fence-text.ts';
import type { PreservedMessage } from '../../history/user-words.ts';
import { countEach } from './message-space.ts';

const leastBeginning = 8;
const leastPart = 24;
/** Share of common letter pairs that two texts need. Unrelated sentences share up to half. */
const leastLikeness = 0.7;
const mostCompared = 4000;
/** A longer quote that equals no message is searched by its beginning. */
const mostQuoted = 200_000;

/** Finds the messages that a model meant by its quote. Empty if the user wrote nothing like it. */
export function findQuotedMessages(words: readonly PreservedMessage[], given: string): readonly PreservedMessage[] {
  const exact = words.findLast(({ text }) => text.trim() === given.trim() && text.trim() !== '');
  if (exact !== undefined) return [exact];
  const rows = words.map((row) => ({ row, text: squeezed(row.text) })).filter(({ text }) => text !== '');
  const cut = given.slice(0, mostQuoted);
  const quote = beginningOf(cut);
  if (quote === '') return [];
  // Among equal matches the newest counts: a checkpoint keeps words where they were written last.
  const newest = (fits: (text: string) => boolean): readonly PreservedMessage[] =>
    [rows.findLast(({ text }) => fits(text))?.row ?? []].flat();
  const ways = [
    () => newest((text) => text === quote),
    () => (quote.length < leastBeginning ? [] : newest((text) => text.startsWith(quote))),
    () => (quote.length < leastPart ? [] : newest((text) => text.includes(quote))),
    () => oneAfterAnother(squeezed(cut), [...rows, ...namedPictures(words)]),
    () => joined(quote, rows),
    () => (quote.length < leastBeginning ? [] : mostAlike(quote, rows)),
  ];
  for (const way of ways) {
    const found = way();
    if (found.length > 0) return found;
  }
  return [];
}

/** Position of a quote inside a message; its white space is ignored. */
export function findQuote(text: string, given: string): TextRange | undefined {
  const exact = given.trim();
  const at = exact.length < leastBeginning ? -1 : text.indexOf(exact);
  if (at >= 0) return { start: at, end: at + exact.length };
  const quote = beginningOf(given);
  if (quote.length < leastBeginning) return undefined;
  const { squeezed: short, places } = squeezedPlaces(text);
  const found = short.indexOf(quote);
  return found < 0 ? undefined : { start: places[found]!, end: places[found + quote.length - 1]! + 1 };
}

function squeezedPlaces(text: string): { readonly squeezed: string; readonly places: readonly number[] } {
  const places: number[] = [];
  const parts: string[] = [];
  for (const { index, 0: word } of text.matchAll(/\S+/g)) {
    if (parts.length > 0) places.push(index - 1);
    for (let at = 0; at < word.length; at++) places.push(index + at);
    parts.push(word);
  }
  return { squeezed: parts.join(' '), places };
}

const mostJoined = 6;
const mostHeld = 300;
const dots = / ?(?:…|\.{3}|\[(?:…|\.{3})\])(?= |$)/g;

/** The fewest messages that together make up the quote, each quoted whole or by its beginning followed by dots. */
function oneAfterAnother(quote: string, rows: readonly Compared[]): readonly PreservedMessage[] {
  const newest = [...new Map(rows.map((compared) => [compared.text, compared])).values()];
  const breaks = [...quote.matchAll(dots)].map(({ index, 0: { length } }) => ({ index, end: index + length }));
  const endIn = (text: string, at: number): number | undefined => {
    const end = at + text.length;
    if (quote.startsWith(text, at) && (end === quote.length || quote[end] === ' ')) return end;
    const cut = breaks.find(({ index }) => index > at);
    const isBeginning = cut !== undefined && cut.index - at >= leastBeginning;
    return isBeginning && text.startsWith(quote.slice(at, cut.index)) ? cut.end : undefined;
  };
  let paths = new Map<number, readonly Compared[]>([[0, []]]);
  const seen = new Set<number>();
  for (let count = 0; count < mostJoined && paths.size > 0; count++) {
    const longer = new Map<number, readonly Compared[]>();
    for (const [at, path] of paths) {
      for (const compared of newest) {
        const end = path.includes(compared) ? undefined : endIn(compared.text, at);
        if (end === undefined) continue;
        if (end === quote.length)
          return rows.filter((one) => one === compared || path.includes(one)).map(({ row }) => row);
        if (!seen.has(end + 1)) longer.set(end + 1, [...path, compared]);
        seen.add(end + 1);
      }
    }
    paths = longer;
  }
  return [];
}

/** A message without words can only be quoted by the name of its first picture. */
const namedPictures = (words: readonly PreservedMessage[]): readonly Compared[] =>
  words.flatMap((row) => {
    const label = row.text.trim() === '' ? row.pictures[0]?.['text'] : undefined;
    const name = typeof label === 'string' ? /\[[^\]]+\]/.exec(label)?.[0] : undefined;
    return name === undefined ? [] : [label as string, name].map((text) => ({ row, text: squeezed(text) }));
  });

/** Messages that the quote contains whole, if they make up most of it. */
function joined(quote: string, rows: readonly Compared[]): readonly PreservedMessage[] {
  const held = rows.filter(({ text }) => text.length >= leastPart && quote.includes(text)).slice(-mostHeld);
  const own = held.filter(({ text }) => !held.some((other) => other.text !== text && other.text.includes(text)));
  return [...new Map(own.map(({ row, text }) => [text, row])).values()].slice(-mostJoined);
}

type Compared = { readonly row: PreservedMessage; readonly text: string };
const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
const beginningOf = (quote: string): string => squeezed(quote).replace(/\s*(?:…|\.{3}|\[(?:…|\.{3})\])$/, '');

function mostAlike(quote: string, rows: readonly Compared[]): readonly PreservedMessage[] {
  const pairs = letterPairs(quote);
  let best: { row: PreservedMessage; likeness: number } | undefined;
  for (const { row, text } of rows) {
    const beginning = text.slice(0, Math.min(mostCompared, quote.length));
    const likeness = Math.max(shared(pairs, letterPairs(text)), shared(pairs, letterPairs(beginning)));
    if (likeness >= leastLikeness && likeness >= (best?.likeness ?? 0)) best = { row, likeness };
  }
  return best === undefined ? [] : [best.row];
}

type Pairs = { readonly counts: ReadonlyMap<string, number>; readonly total: number };

function letterPairs(text: string): Pairs {
  const letters = text.slice(0, mostCompared).toLowerCase();
  const total = Math.max(0, letters.length - 1);
  return { counts: countEach(Array.from({ length: total }, (_, at) => letters.slice(at, at + 2))), total };
}

function shared(a: Pairs, b: Pairs): number {
  if (a.total + b.total === 0) return 0;
  let both = 0;
  for (const [pair, count] of a.counts) both += Math.min(count, b.counts.get(pair) ?? 0);
  return (2 * both) / (a.total + b.total);
}
