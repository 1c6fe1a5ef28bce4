import { byteLength, bytesPerToken } from '../text/truncate.ts';
import { mostReviewEntries, type ReviewBudgets } from './review-budgets.ts';
import { cutLine, reviewLine } from './review-line.ts';

/** One thing that was said or done in the thread. */
export interface ReviewEntry {
  /**
   * `summary`: a checkpoint. `program`: what drives the thread, and not the user. `agent`: a model of another thread,
   * which gave this one its task.
   */
  readonly from: 'user' | 'agent' | 'program' | 'assistant' | 'summary' | 'call' | 'output';
  readonly text: string;
}

/** For a line that counts what is left out before an entry. */
const gapTokens = 8;

/**
 * The thread in short, one JSON object per line: the newest entries within the budgets, the user's first, and what the
 * thread began with; then the tasks that agents gave. Lines in between count what is left out.
 */
export function reviewTranscript(entries: readonly ReviewEntry[], budgets: ReviewBudgets): readonly string[] {
  const left = { messages: budgets.messages, tools: budgets.tools };
  const shown = new Map<number, string>();
  for (const at of byWorth(entries)) {
    if (shown.size === mostReviewEntries) break;
    const { from, text } = entries[at]!;
    const kind = from === 'call' || from === 'output' ? 'tools' : 'messages';
    const most = kind === 'tools' ? budgets.tool : budgets.message;
    const { line } = cutLine(text, most - gapTokens, (short) => ({ n: at + 1, from, text: short }));
    const cost = Math.ceil((byteLength(line) + 1) / bytesPerToken) + gapTokens;
    if (cost > left[kind]) continue;
    left[kind] -= cost;
    shown.set(at, line);
  }
  const lines: string[] = [];
  let next = 0;
  for (const at of [...shown.keys()].toSorted((a, b) => a - b)) {
    if (at > next) lines.push(gap(at - next));
    lines.push(shown.get(at)!);
    next = at + 1;
  }
  return next < entries.length ? [...lines, gap(entries.length - next)] : lines;
}

function gap(count: number): string {
  return reviewLine({ left_out: count });
}

/** The places of those that may be shown, what matters most first. */
function byWorth(entries: readonly ReviewEntry[]): readonly number[] {
  const places = entries.map((_, at) => at);
  const recent = places.slice(-mostReviewEntries).toReversed();
  const said = (['user', 'agent'] as const).flatMap((from) => {
    const all = places.filter((at) => entries[at]!.from === from);
    const ends = [all.at(-1), all[0]].filter((at) => at !== undefined);
    return [...ends, ...recent.filter((at) => entries[at]!.from === from)];
  });
  return [...new Set([...said, ...recent])];
}
