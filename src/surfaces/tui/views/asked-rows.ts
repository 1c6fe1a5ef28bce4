import type { Question } from '../../../protocol/question.ts';
import type { ChangedFile, TurnItem } from '../../../protocol/turn-item.ts';
import { questionLines } from '../../exec/approvals/question-lines.ts';
import { paint } from '../../terminal/look.ts';
import { exactLine, exactText } from '../../terminal/exact-text.ts';
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
  const shown = { ...item, status: 'in-progress', changes: changes.map(visibleChange) } as const;
  const diff = patchCell(shown).rows({ ...look, details: 'whole' });
  return [...lineRows({ ...question, paths }, undefined, look), ...diff];
}

/** With a sign for every character that hides, as the lines of other questions have: a yes writes those, too. */
function visibleChange(change: ChangedFile): ChangedFile {
  const { path, movePath, diff } = change;
  return {
    ...change,
    path: exactLine(path),
    ...(movePath === undefined ? {} : { movePath: exactLine(movePath) }),
    // Line by line: a carriage return at the end of one shows, too.
    ...(diff === undefined ? {} : { diff: diff.split('\n').map(exactText).join('\n') }),
  };
}

function lineRows(question: Question, item: TurnItem | undefined, look: Look): readonly string[] {
  const spans = questionLines(question, item, { width: look.width });
  const rows = paintedRows(paint(spans, true), look);
  // A style may end behind the last line.
  // oxlint-disable-next-line no-control-regex -- our own styles
  return rows.slice(0, rows.findLastIndex((row) => /[^\s]/.test(row.replaceAll(/\u001B\[[\d;]*m/g, ''))) + 1);
}
