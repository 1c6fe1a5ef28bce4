import { cutText } from '../../fragments/text/cut-text.ts';
import { sentTokens } from '../../fragments/text/truncate.ts';
import type { EarlierSummary } from '../../fragments/checkpoint/checkpoint-summary.ts';
import { isForeignSummary } from '../../history/entry.ts';
import { type History, entries } from '../../history/history.ts';
import { defined } from '../../protocol/defined.ts';
import { isMessage, messageText } from '../../protocol/item.ts';

/** The newest summary by a model that still stands in history, of any program, and those carried on beside it. */
export function earlierSummaries(history: History): readonly EarlierSummary[] {
  const found = entries(history).findLast((entry) => entry.summary !== undefined || isForeignSummary(entry));
  if (found === undefined || !isMessage(found.item)) return [];
  const text = messageText(found.item);
  const { summary } = found;
  if (summary === undefined) return [{ text }];
  return [...(summary.earlier ?? []), summary].map(({ start, end, model, number }) => ({
    text: text.slice(start, end),
    ...defined({ model, number }),
  }));
}

/** Of what there is space for beside the records, the part that an earlier summary may take. */
const earlierShare = 0.6;

/** Thin summaries may follow each other: of all that stand there, the oldest, which was not thin, and the newest. */
const mostCarried = 3;

/** The newest whole as far as there is space, those before it in what it leaves. A summary that says the same as a newer one goes. */
export function carriedOn(earlier: readonly EarlierSummary[], tokens: number, newest = ''): readonly EarlierSummary[] {
  let left = Math.floor(tokens * earlierShare);
  const texts = [...earlier.map(({ text }) => text.trim()), newest.trim()];
  const distinct = earlier.filter((_, index) => !texts.includes(texts[index]!, index + 1));
  const some = distinct.length <= mostCarried ? distinct : [distinct[0]!, ...distinct.slice(1 - mostCarried)];
  return some
    .toReversed()
    .flatMap((one) => {
      if (left <= 0) return [];
      const text = cutText(one.text, left);
      left -= sentTokens(text);
      return [{ ...one, text }];
    })
    .toReversed();
}
