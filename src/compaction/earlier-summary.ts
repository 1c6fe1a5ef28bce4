import type { EarlierSummary } from '../fragments/checkpoint-summary.ts';
import { type History, entries } from '../history/history.ts';
import { isMessage, messageText } from '../protocol/item.ts';

/** The newest summary that a model wrote at an earlier checkpoint and that still stands in history, whoever wrote it. */
export function earlierSummary(history: History): EarlierSummary | undefined {
  const found = entries(history).findLast(
    ({ item, origin, summary }) =>
      summary !== undefined || (isForeign(origin) && isMessage(item) && item.role === 'user'),
  );
  if (found === undefined || !isMessage(found.item)) return undefined;
  const text = messageText(found.item);
  const { summary } = found;
  if (summary === undefined) return { text };
  const { start, end, model, number } = summary;
  return {
    text: text.slice(start, end),
    ...(model === undefined ? {} : { model }),
    ...(number === undefined ? {} : { number }),
  };
}

/** Another program's summary is a message in the user's place that no kind of ours fits. */
function isForeign(origin: { readonly family: string; readonly kinds?: readonly string[] }): boolean {
  return origin.family === 'context' && origin.kinds?.length === 1 && origin.kinds[0] === 'foreign';
}
