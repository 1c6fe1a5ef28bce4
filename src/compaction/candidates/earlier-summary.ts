import type { EarlierSummary } from '../../fragments/checkpoint/checkpoint-summary.ts';
import type { SummaryPlace } from '../../history/entry.ts';
import { type History, entries } from '../../history/history.ts';
import { defined } from '../../protocol/defined.ts';
import { isMessage, messageText } from '../../protocol/item.ts';

/**
 * The newest summary that a model wrote at an earlier checkpoint and that still stands in history, of this program or another. If
 * it was thin, those that were carried on beside it come before it.
 */
export function earlierSummaries(history: History): readonly EarlierSummary[] {
  const found = entries(history).findLast(
    ({ item, origin, summary }) =>
      summary !== undefined || (isForeign(origin) && isMessage(item) && item.role === 'user'),
  );
  if (found === undefined || !isMessage(found.item)) return [];
  const text = messageText(found.item);
  const { summary } = found;
  if (summary === undefined) return [{ text }];
  return [...(summary.earlier ?? []), summary].map((place) => summaryAt(text, place));
}

function summaryAt(text: string, { start, end, model, number }: SummaryPlace): EarlierSummary {
  return {
    text: text.slice(start, end),
    ...defined({ model, number }),
  };
}

/** Another program's summary is a message in the user's place that no kind of ours fits. */
function isForeign(origin: { readonly family: string; readonly kinds?: readonly string[] }): boolean {
  return origin.family === 'context' && origin.kinds?.length === 1 && origin.kinds[0] === 'foreign';
}
