import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadSummary } from '../../protocol/thread.ts';
import type { MemoryRules } from '../config/memories.ts';
import { cutJsonLine, type ReviewEntry } from '../fragments/approval-review.ts';
import { byteLength, bytesPerToken } from '../fragments/text/truncate.ts';

export type TakenThread = { readonly usedAt: number; readonly at: number; readonly isFailed: boolean };
const rest = 24 * 3_600_000;

/** Threads that need notes, newest first. Their lines say whether notes are permitted. */
export function threadsDueForNotes(
  threads: readonly ThreadSummary[],
  taken: ReadonlyMap<string, TakenThread>,
  { rules, now, except }: { readonly rules: MemoryRules; readonly now: number; readonly except: ThreadId },
): readonly ThreadSummary[] {
  return threads.filter(({ id, updatedAt, turns, archived }) => {
    if (id === except || archived || turns === 0) return false;
    const idle = now - updatedAt;
    if (idle < rules.minIdleMs || idle > rules.maxAgeMs) return false;
    const before = taken.get(id);
    return before === undefined || before.usedAt < updatedAt ? true : before.isFailed && now - before.at > rest;
  });
}

const least = { said: 60, done: 30 } as const;
const most = { said: 2000, done: 600 } as const;
const share = { said: 0.2, done: 0.05 } as const;
const gapTokens = 8;

/** One JSON object per line, in order. User's words come first, then the model's, then its actions, newest first. */
export function threadExtract(entries: readonly ReviewEntry[], space: number): readonly string[] {
  const shown = new Map<number, string>();
  let left = space;
  for (const at of byWorth(entries)) {
    const { from, text } = entries[at]!;
    const kind = rank(from) < 2 ? 'said' : 'done';
    const tokens = Math.max(least[kind], Math.min(most[kind], Math.floor(space * share[kind])));
    const { line } = cutJsonLine(text, tokens - gapTokens, (short) => ({ n: at + 1, from, text: short }));
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

const byWorth = (entries: readonly ReviewEntry[]): readonly number[] =>
  entries.map((_, at) => at).toSorted((a, b) => rank(entries[a]!.from) - rank(entries[b]!.from) || b - a);

function rank(from: ReviewEntry['from']): number {
  if (from === 'user' || from === 'summary') return 0;
  return from === 'assistant' || from === 'agent' ? 1 : 2;
}
