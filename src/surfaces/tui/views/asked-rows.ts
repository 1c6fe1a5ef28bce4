import type { Question } from '../../../protocol/question.ts';
import type { ChangedFile, FileChangeItem, TurnItem } from '../../../protocol/turn-item.ts';
import { coreLines, modelLines, questionLines } from '../../exec/approvals/question-lines.ts';
import { paint, type Span } from '../../terminal/look.ts';
import { exactLine, exactText } from '../../terminal/exact-text.ts';
import { patchCell } from '../cells/patch-cell.ts';
import type { Look } from '../text/look.ts';
import { paintedRows } from '../text/painted-rows.ts';

/** What is asked, in rows that fit. */
export interface AskedRows {
  /** Nothing is cut. The words of the model come last: however many they are, they push nothing away. */
  readonly all: readonly string[];
  /** What a yes would run or change at the least: in a short window it comes first. */
  readonly core: readonly string[];
  /** Of a patch: what changes in its files. */
  readonly diff: readonly string[];
}

export function askedRows(question: Question, item: TurnItem | undefined, look: Look): AskedRows {
  const { width } = look;
  const words = spanRows(modelLines(question, { width }), look);
  const lines = (of: Question, about: TurnItem | undefined): readonly string[] =>
    spanRows(questionLines(of, about, { width, words: 'elsewhere' }), look);
  if (question.kind !== 'patch' || item?.kind !== 'file-change') {
    const whole = lines(question, item);
    const core = question.argv === undefined ? whole : spanRows(coreLines(question, item, { width }), look);
    return { all: [...whole, ...words], core, diff: [] };
  }
  const { changes } = item;
  const isShown = (path: string): boolean => changes.some((change) => change.path === path || change.movePath === path);
  // A file does not keep all changes of a long patch, and the question has all of their paths.
  const paths = question.paths?.filter(({ path }) => !isShown(path)) ?? [];
  const diff = patchRows(item, changes.map(visibleChange), look);
  const bare = changes.map((change) => ({ ...change, diff: '' }));
  const all = [...lines({ ...question, paths }, undefined), ...diff, ...words];
  // The title of a single file names it.
  const head = changes.length === 1 && paths.length === 0 ? patchRows(item, bare.map(visibleChange), look).length : 0;
  if (head > 0) return { all, core: diff.slice(0, head), diff: diff.slice(head) };
  return { all, core: spanRows(coreLines(question, { ...item, changes: bare }, { width }), look), diff };
}

function patchRows(item: FileChangeItem, changes: readonly ChangedFile[], look: Look): readonly string[] {
  return patchCell({ ...item, status: 'in-progress', changes }).rows({ ...look, details: 'whole' });
}

/** With a sign for every character that hides, as the lines of other questions have: a yes writes those, too. */
function visibleChange(change: ChangedFile): ChangedFile {
  const { path, movePath, diff } = change;
  return {
    ...change,
    path: exactLine(path, 'words'),
    ...(movePath === undefined ? {} : { movePath: exactLine(movePath, 'words') }),
    // Line by line: a carriage return at the end of one shows, too.
    ...(diff === undefined
      ? {}
      : {
          diff: diff
            .split('\n')
            .map((line) => exactText(line))
            .join('\n'),
        }),
  };
}

function spanRows(spans: readonly Span[], look: Look): readonly string[] {
  const rows = paintedRows(paint(spans, true), look);
  // A style may end behind the last line.
  // oxlint-disable-next-line no-control-regex -- our own styles
  return rows.slice(0, rows.findLastIndex((row) => /[^\s]/.test(row.replaceAll(/\u001B\[[\d;]*m/g, ''))) + 1);
}
