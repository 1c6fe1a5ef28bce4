import type { CodeReview, ReviewFinding, ReviewTarget } from '../../../protocol/code-review.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { reviewTargetWords } from '../../../state/recorded-review.ts';
import { plural } from '../../wording/number-words.ts';
import { drawMarkdown } from '../markdown/markdown-stream.ts';
import { cleanLine } from '../text/clean.ts';
import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { insideAnswer } from './answer-rows.ts';
import { cellOfRows, headRows, stateMark } from './frame.ts';

/** Said of a review that the user interrupted. */
export const interruptedReview: Outcome = {
  code: 'review-interrupted',
  message: 'The review was interrupted.',
  next: 'To review again, use /review.',
};

/** What is about to be reviewed. */
export function reviewStartCell(target: ReviewTarget): Cell {
  return cellOfRows((look) => {
    const head: Row = [styled('Code review started: ', boldStyle), plain(cleanLine(reviewTargetWords(target)))];
    return headRows(look, stateMark('plain', look), head);
  });
}

/** What a reviewer of code found, each finding with its place. */
export function reviewCell({ findings, correctness, explanation }: CodeReview): Cell {
  return {
    rows(look) {
      const found = findings.length === 0 ? 'no findings' : plural(findings.length, 'finding');
      const verdict = correctness === '' ? '' : `, ${cleanLine(correctness)}`;
      const head = headRows(look, stateMark('plain', look), [
        styled('Code review: ', boldStyle),
        plain(`${found}${verdict}`),
      ]);
      const parts = [bodyRows(explanation, look), ...findings.map((finding) => findingRows(finding, look))];
      return [...drawRows(head, look), ...parts.filter(({ length }) => length > 0).flatMap((rows) => ['', ...rows])];
    },
  };
}

/** Of a review of which only the words are known. */
export function toldReviewCell(text: string): Cell {
  return {
    rows(look) {
      const head = headRows(look, stateMark('plain', look), [styled('Code review', boldStyle)]);
      return [...drawRows(head, look), '', ...bodyRows(text, look)];
    },
  };
}

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
  const inside = insideAnswer(look);
  const indent = ' '.repeat(look.width - inside.width);
  return drawMarkdown(text, inside).map((row) => (row === '' ? '' : `${indent}${row}`));
}
