import type { CodeReviewedEvent } from '../../../protocol/thread-event.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { turnCostWords } from './turn-cost-words.ts';
import type { Cell } from '../cells/cell.ts';
import { failedTurnCell } from '../cells/failed-turn-cell.ts';
import { reviewCell, interruptedReview, reviewStartCell, toldReviewCell } from '../cells/review-cell.ts';
import { turnEndCell } from '../cells/turn-end-cell.ts';

/** A review that was not seen here: what was asked for, what came of it and how long it took. `at`: when it ended. */
export function reviewedCells(event: CodeReviewedEvent, at: number | undefined): readonly Cell[] {
  const { target, durationMs } = event;
  const start = target === undefined ? [] : [reviewStartCell(target)];
  const { end } = event;
  if (end.kind !== 'reviewed' && end.kind !== 'told') return [...start, failedReview(event, end, at)];
  const found = end.kind === 'reviewed' ? reviewCell(end.review) : toldReviewCell(end.text);
  if (durationMs === undefined || at === undefined) return [...start, found];
  const words = turnCostWords(noUsage, event.usage);
  return [...start, found, turnEndCell({ durationMs, endedAt: at, words })];
}

function failedReview(
  { turnId }: CodeReviewedEvent,
  end: Extract<CodeReviewedEvent['end'], { kind: 'aborted' | 'failed' }>,
  at: number | undefined,
): Cell {
  const outcome = end.kind === 'failed' ? end.outcome : interruptedReview;
  return failedTurnCell({ kind: 'turn-failed', turnId, outcome }, at);
}
