import { reviewTargetWords } from '../../../../core/state/recorded/user-actions.ts';
import { plural } from '../../../../engine/wording.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import type { CodeReview, CodeReviewedEvent, ReviewFinding, ReviewTarget } from '../../../../protocol/thread-event.ts';
import { noUsage } from '../../../../protocol/usage.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { drawRows } from '../../screen/text/draw-row.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import type { Look } from '../../screen/text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { drawMarkdown } from '../markdown/markdown-stream.ts';
import { answerLook } from './answer-cells.ts';
import { type Cell, cellWithHead, headRows } from './cell.ts';
import { failedTurnCell, turnCostWords, turnEndCell } from './notice-cells.ts';

export const interruptedReview: Outcome = {
  code: 'review-interrupted',
  message: 'The review was interrupted.',
  next: 'To review again, use /review.',
};

export function reviewStartCell(target: ReviewTarget): Cell {
  const head = [styled('Code review started: ', boldStyle), plain(cleanLine(reviewTargetWords(target)))];
  return cellWithHead(() => ({ mark: 'plain', head }));
}

export function reviewCell({ findings, correctness, explanation }: CodeReview): Cell {
  return {
    rows(look) {
      const found = findings.length === 0 ? 'no findings' : plural(findings.length, 'finding');
      const verdict = correctness === '' ? '' : `, ${cleanLine(correctness)}`;
      const head = headRows(look, 'plain', [styled('Code review: ', boldStyle), plain(`${found}${verdict}`)]);
      const parts = [bodyRows(explanation, look), ...findings.map((finding) => findingRows(finding, look))];
      return [...drawRows(head, look), ...parts.filter(({ length }) => length > 0).flatMap((rows) => ['', ...rows])];
    },
  };
}

const plainReviewCell = (text: string): Cell => ({
  rows(look) {
    const head = headRows(look, 'plain', [styled('Code review', boldStyle)]);
    return [...drawRows(head, look), '', ...bodyRows(text, look)];
  },
});

function findingRows({ title, body, priority, place }: ReviewFinding, look: Look): readonly string[] {
  // Reviewers often write the priority into the title.
  const words = cleanLine(title).trim();
  const rank = priority === undefined || /^\[P\d\]/.test(words) ? '' : `[P${priority}] `;
  const lines = place === undefined ? '' : place.to > place.from ? `:${place.from}-${place.to}` : `:${place.from}`;
  const where: Row = place === undefined ? [] : [styled(` ${shownPath(place.path, look)}${lines}`, dimStyle)];
  const head = headRows(look, styled('-', accentStyle), [styled(`${rank}${words}`, boldStyle), ...where]);
  return [...drawRows(head, look), ...bodyRows(body, look)];
}

function bodyRows(text: string, look: Look): readonly string[] {
  if (text.trim() === '') return [];
  const inside = answerLook(look);
  const indent = ' '.repeat(look.width - inside.width);
  return drawMarkdown(text, inside).map((row) => (row === '' ? '' : `${indent}${row}`));
}

/** A review that was not watched here: its request, result and duration. `at`: its end. */
export function reviewedCells(event: CodeReviewedEvent, at: number | undefined): readonly Cell[] {
  const { turnId, target, durationMs, end } = event;
  const start = target === undefined ? [] : [reviewStartCell(target)];
  if (end.kind !== 'reviewed' && end.kind !== 'told') {
    const outcome = end.kind === 'failed' ? end.outcome : interruptedReview;
    return [...start, failedTurnCell({ kind: 'turn-failed', turnId, outcome }, at)];
  }
  const found = end.kind === 'reviewed' ? reviewCell(end.review) : plainReviewCell(end.text);
  if (durationMs === undefined || at === undefined) return [...start, found];
  const words = turnCostWords(noUsage, event.usage);
  return [...start, found, turnEndCell({ durationMs, endedAt: at, words })];
}
