import { type CheckpointSummaryText, checkpointSummaryFragment } from '../fragments/checkpoint-summary.ts';
import { checkpointRecordsFragment } from '../fragments/checkpoint-records.ts';
import { type Fragment, render } from '../fragments/define.ts';
import { contextMessage } from '../fragments/message.ts';
import type { QuotedWords } from '../history/entry.ts';
import { itemTokens } from '../history/size.ts';
import type { CandidateEntry } from './candidate.ts';
import type { WorkRecords } from './work-records.ts';

/** As long as the ids that new items get. */
const someId = `msg_${'0'.repeat(36)}`;

/** What entries weigh once they are installed. */
export function entriesTokens(entries: readonly CandidateEntry[]): number {
  return entries.reduce(
    (sum, entry) => sum + itemTokens(entry.kind === 'kept' ? entry.entry.item : entry.item(someId)),
    0,
  );
}

export function madeEntry({ kind, role, text }: Fragment, words?: readonly QuotedWords[]): CandidateEntry {
  return {
    kind: 'made',
    item: (id) => contextMessage(id, role, [text]),
    origin: { family: 'context', kinds: [kind], cause: 'event' },
    ...(words === undefined ? {} : { words }),
  };
}

/** The plan and the files, if there are any and there is room. */
export function recordsEntries({ plan, files }: WorkRecords, tokens: number): readonly CandidateEntry[] {
  const isEmpty = (plan === undefined || plan.length === 0) && files.length === 0;
  if (isEmpty || tokens === 0) return [];
  const payload = { ...(plan === undefined ? {} : { plan }), files, tokens };
  return [madeEntry(render(checkpointRecordsFragment, payload))];
}

export function summaryEntry(payload: CheckpointSummaryText): {
  readonly entry: CandidateEntry;
  readonly message: string;
} {
  const fragment = render(checkpointSummaryFragment, payload);
  return { entry: madeEntry(fragment), message: fragment.text };
}
