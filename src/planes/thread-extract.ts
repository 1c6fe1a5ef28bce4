import { cutLine } from '../fragments/review/review-line.ts';
import type { ReviewEntry } from '../fragments/review/review-transcript.ts';
import { byteLength, bytesPerToken } from '../fragments/text/truncate.ts';

/** What one entry may take of the space, in tokens. */
const least = { said: 60, done: 30 } as const;
const most = { said: 2000, done: 600 } as const;
const share = { said: 0.2, done: 0.05 } as const;
/** For a line that counts what is left out before an entry. */
const gapTokens = 8;

/**
 * As much of a thread as fits: one JSON object per line, in the order of the thread. The user's words come first, then
 * what the model said, then what it did, the newest first.
 */
export function threadExtract(entries: readonly ReviewEntry[], space: number): readonly string[] {
  const shown = new Map<number, string>();
  let left = space;
  for (const at of byWorth(entries)) {
    const { from, text } = entries[at]!;
    const kind = rank(from) < 2 ? 'said' : 'done';
    const tokens = Math.max(least[kind], Math.min(most[kind], Math.floor(space * share[kind])));
    const { line } = cutLine(text, tokens - gapTokens, (short) => ({ n: at + 1, from, text: short }));
    const cost = Math.ceil((byteLength(line) + 1) / bytesPerToken) + gapTokens;
    if (cost > left) continue;
    left -= cost;
    shown.set(at, line);
  }
  const places = [...shown.keys()].toSorted((a, b) => a - b);
  return places.flatMap((at, index) => {
    const missing = at - (places[index - 1] ?? -1) - 1;
    return [...(missing === 0 ? [] : [JSON.stringify({ left_out: missing })]), shown.get(at)!];
  });
}

function byWorth(entries: readonly ReviewEntry[]): readonly number[] {
  return entries.map((_, at) => at).toSorted((a, b) => rank(entries[a]!.from) - rank(entries[b]!.from) || b - a);
}

function rank(from: ReviewEntry['from']): number {
  if (from === 'user' || from === 'summary') return 0;
  return from === 'assistant' || from === 'agent' ? 1 : 2;
}
