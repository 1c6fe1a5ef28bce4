import type { UserWords } from '../history/users-words.ts';

/** Finds the messages of the user that a model meant when it quoted them. */
export interface WordsMatcher {
  /** The one message that the quote is of, is the beginning of, or comes close to. */
  closest(quote: string): UserWords | undefined;
  /** The messages that stand in a text, whole or with their beginning. */
  quotedIn(block: string): ReadonlySet<UserWords>;
}

/** A shorter quote may be of anything. */
const leastBeginning = 8;
const leastPart = 24;
/** Share of pairs of letters that two texts must have in common. Sentences about different things share up to half. */
const leastLikeness = 0.7;
/** Longer texts are compared by their beginnings. */
const mostCompared = 4000;
const mostPieces = 200;

export function matchWords(words: readonly UserWords[]): WordsMatcher {
  const rows = words.filter(({ text }) => text.trim() !== '').map((row) => ({ row, text: squeezed(row.text) }));
  const among = (fits: (text: string) => boolean): UserWords | undefined =>
    likeliest(rows.filter(({ text }) => fits(text)).map(({ row }) => row));
  const quoted = (quote: string): UserWords | undefined =>
    among((text) => text === quote) ??
    (quote.length < leastBeginning ? undefined : among((text) => text.startsWith(quote)));
  return {
    closest(given) {
      const exact = words.filter(({ text }) => text.trim() === given.trim() && text.trim() !== '');
      if (exact.length > 0) return likeliest(exact);
      const quote = beginningOf(given);
      if (quote === '') return undefined;
      return (
        quoted(quote) ??
        (quote.length < leastPart ? undefined : among((text) => text.includes(quote))) ??
        longest(rows.filter(({ text }) => text.length >= leastPart && quote.includes(text))) ??
        (quote.length < leastBeginning ? undefined : mostAlike(quote, rows))
      );
    },
    quotedIn(block) {
      const whole = squeezed(block);
      const found = new Set(
        rows.filter(({ text }) => text.length >= leastBeginning && whole.includes(text)).map(({ row }) => row),
      );
      const pieces = block.split(/\n\s*\n|\n[^\S\n]*[-=]{3,}[^\n]*\n/).slice(0, mostPieces);
      for (const piece of pieces) {
        const row = quoted(beginningOf(piece.replace(/^\s*(?:\d+[.)]|[-*•>]|\[\d+\])\s+/, '')));
        if (row !== undefined) found.add(row);
      }
      return found;
    },
  };
}

interface Compared {
  readonly row: UserWords;
  /** Its white space does not count. */
  readonly text: string;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Without the dots by which a model says that the quote goes on. */
function beginningOf(quote: string): string {
  return squeezed(quote).replace(/\s*(?:…|\.{3}|\[(?:…|\.{3})\])$/, '');
}

/** Of messages that fit equally well: the one that the work is about. */
function likeliest(rows: readonly UserWords[]): UserWords | undefined {
  return rows.find(({ task }) => task) ?? rows.findLast(({ worked }) => worked) ?? rows.at(-1);
}

function longest(rows: readonly Compared[]): UserWords | undefined {
  return rows.toSorted((a, b) => b.text.length - a.text.length)[0]?.row;
}

function mostAlike(quote: string, rows: readonly Compared[]): UserWords | undefined {
  const pairs = letterPairs(quote);
  let best: { row: UserWords; likeness: number } | undefined;
  for (const { row, text } of rows) {
    const beginning = text.slice(0, Math.min(mostCompared, quote.length));
    const likeness = Math.max(shared(pairs, letterPairs(text)), shared(pairs, letterPairs(beginning)));
    if (likeness >= leastLikeness && likeness >= (best?.likeness ?? 0)) best = { row, likeness };
  }
  return best?.row;
}

interface Pairs {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

function letterPairs(text: string): Pairs {
  const counts = new Map<string, number>();
  const letters = text.slice(0, mostCompared).toLowerCase();
  for (let at = 0; at < letters.length - 1; at++) {
    const pair = letters.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: Math.max(0, letters.length - 1) };
}

/** From 0, nothing, to 1, all of them. */
function shared(a: Pairs, b: Pairs): number {
  if (a.total + b.total === 0) return 0;
  let both = 0;
  for (const [pair, count] of a.counts) both += Math.min(count, b.counts.get(pair) ?? 0);
  return (2 * both) / (a.total + b.total);
}
