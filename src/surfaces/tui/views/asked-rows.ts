import type { Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { questionLines } from '../../exec/approvals/question-lines.ts';
import { paint } from '../../terminal/look.ts';
import { patchCell } from '../cells/patch-cell.ts';
import type { Look } from '../text/look.ts';
import { paintedRows } from '../text/painted-rows.ts';

/** What is asked, in rows that fit. Nothing of it is cut. */
export function askedRows(question: Question, item: TurnItem | undefined, look: Look): readonly string[] {
  if (question.kind !== 'patch' || item?.kind !== 'file-change') return lineRows(question, item, look);
  const { changes } = item;
  const isShown = (path: string): boolean => changes.some((change) => change.path === path || change.movePath === path);
  // A file does not keep all changes of a long patch, and the question has all of their paths.
  const paths = question.paths?.filter(({ path }) => !isShown(path)) ?? [];
  const diff = patchCell({ ...item, status: 'in-progress' }).rows({ ...look, details: 'whole' });
  return [...lineRows({ ...question, paths }, undefined, look), ...diff];
}

function lineRows(question: Question, item: TurnItem | undefined, look: Look): readonly string[] {
  const spans = questionLines(question, item, { width: look.width });
  const rows = paintedRows(paint(spans, true), look);
  // A style may end behind the last line.
  // oxlint-disable-next-line no-control-regex -- our own styles
  return rows.slice(0, rows.findLastIndex((row) => /[^\s]/.test(row.replaceAll(/\u001B\[[\d;]*m/g, ''))) + 1);
}
