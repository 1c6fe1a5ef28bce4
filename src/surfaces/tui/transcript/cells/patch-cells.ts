import { recordedChanges } from '../../../../engine/file-access.ts';
import { plural } from '../../../../engine/wording.ts';
import { stringAt } from '../../../../protocol/json.ts';
import type { ChangedFile, FileChangeItem, ToolCallItem } from '../../../../protocol/turn-item.ts';
import { cleanText, trimmedLines } from '../../screen/text/clean-text.ts';
import { filledRow, hasBackgroundColours } from '../../screen/text/draw-row.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, goodStyle, plain, restyled, styled } from '../../screen/text/style.ts';
import type { RowPiece, Row, Style } from '../../screen/text/style.ts';
import { wrapIn, wrapRow } from '../../screen/text/wrap-row.ts';
import { grammarOfPath, HighlightBudget, highlightLine } from '../markdown/syntax-highlight.ts';
import type { Grammar, LongToken } from '../markdown/syntax-highlight.ts';
import { callCellState, type Cell, cellWithHead } from './cell.ts';
import { foldRow } from './folded-output.ts';
import { callCell } from './tool-call-cells.ts';

/** Rows of one file that are shown before the rest is folded. */
const [mostRows, keptRows] = [100, 80];

export function patchCell(item: FileChangeItem): Cell {
  const { status, problem } = item;
  return cellWithHead((look) => {
    // Parsed on drawing: many cells of a resumed thread are never drawn.
    const changes = recordedChanges(item).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    const files = changes.map(fileOf);
    const isBad = status === 'failed';
    const mark = callCellState(status);
    const lines = isBad ? trimmedLines(problem ?? '').map((line) => [styled(line, badStyle)]) : [];
    if (files.length === 1) {
      const [file] = files;
      const head = [styled(`${verbOf(file!.change, status)} `, boldStyle), ...fileTitle(file!, look)];
      return { mark, head, lines, body: bodyRows(file!, isBad, look) };
    }
    const sum = (key: 'added' | 'removed'): number => files.reduce((all, file) => all + file[key], 0);
    const total = { added: sum('added'), removed: sum('removed') };
    const verb = verbOf({ kind: 'update' }, status);
    const head = [styled(`${verb} ${plural(files.length, 'file')}`, boldStyle), ...countPieces(total)];
    const corner = styled(`  ${glyphsOf(look).corner} `, dimStyle);
    const body = files.flatMap((file) => [
      ...wrapIn(look, [...fileTitle(file, look), ...kindPieces(file.change)], [corner], margin),
      ...bodyRows(file, isBad, look),
    ]);
    return { mark, head, lines, body };
  });
}

type PatchedFile = ReturnType<typeof fileOf>;

function fileOf(change: ChangedFile) {
  const lines = diffLinesOf(change);
  const count = (wanted: string): number => lines.filter(({ kind }) => kind === wanted).length;
  return { change, lines, added: count('added'), removed: count('removed') };
}

function verbOf({ kind }: Pick<ChangedFile, 'kind'>, status: FileChangeItem['status']): string {
  const [doing, done, noun] = {
    add: ['Adding', 'Added', 'add'],
    delete: ['Deleting', 'Deleted', 'delete'],
    update: ['Editing', 'Edited', 'edit'],
  }[kind];
  if (status === 'failed') return `Failed to ${noun}`;
  return (status === 'in-progress' ? doing : done) ?? '';
}

function fileTitle({ change, added, removed }: PatchedFile, look: Look): Row {
  const { path, movePath, generated } = change;
  const moved = movePath === undefined ? '' : ` ${glyphsOf(look).arrow} ${shownPath(movePath, look)}`;
  const made = generated === true ? [styled(' (a generated picture)', dimStyle)] : countPieces({ added, removed });
  return [plain(`${shownPath(path, look)}${moved}`), ...made];
}

/** Names the kind of a change in a list of files, unless it is an edit. */
const kindPieces = ({ kind }: ChangedFile): Row =>
  kind === 'update' ? [] : [styled(kind === 'add' ? ' new' : ' deleted', dimStyle)];

function countPieces({ added, removed }: Pick<PatchedFile, 'added' | 'removed'>): Row {
  if (added === 0 && removed === 0) return [];
  return [plain(' ('), styled(`+${added}`, goodStyle), plain(' '), styled(`-${removed}`, badStyle), plain(')')];
}

/** A failed patch shows its changes only in the transcript view. */
function bodyRows({ change, lines }: PatchedFile, isBad: boolean, look: Look): readonly Row[] {
  const isWhole = look.details === 'whole';
  if (isBad && !isWhole) return [];
  const path = change.movePath ?? change.path;
  if (isWhole || lines.length <= mostRows) return diffRows(lines, path, look);
  const shown = diffRows(lines.slice(0, keptRows), path, look);
  return [...shown, [plain('    '), ...foldRow(lines.length - keptRows, look)]];
}

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'gap' | 'note';
  readonly text: string;
  readonly number?: number;
}

/** Lines of a change. Line numbers are known for new files and for diffs that state them. */
export function diffLinesOf({ diff = '', kind }: Pick<ChangedFile, 'diff' | 'kind'>): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = kind === 'update' ? [undefined, undefined] : [1, 1];
  const source = diff === '' ? [] : diff.replace(/\n$/, '').split('\n');
  for (const line of source) {
    const [sign, text] = [line[0] ?? ' ', cleanText(line.slice(1)).replaceAll('\n', ' ').replaceAll('\t', '    ')];
    if (line.startsWith('@@')) {
      const [, from, to] = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})/.exec(line) ?? [];
      [before, after] = from === undefined ? [undefined, undefined] : [Number(from), Number(to)];
      const anchor = cleanAnchor(line);
      if (lines.length > 0 || anchor !== '') lines.push({ kind: 'gap', text: anchor });
    } else if (sign === '+') {
      lines.push({ kind: 'added', text, number: after });
      after = next(after);
    } else if (sign === '-') {
      lines.push({ kind: 'removed', text, number: before });
      before = next(before);
    } else if (sign === '\\') {
      lines.push({ kind: 'note', text: text.trim() });
    } else {
      lines.push({ kind: 'same', text, number: after });
      [before, after] = [next(before), next(after)];
    }
  }
  return lines;
}

const next = (number: number | undefined): number | undefined => (number === undefined ? undefined : number + 1);

function cleanAnchor(line: string): string {
  return cleanText(line.replace(/^@@(?: [^@]*@@)? ?/, ''))
    .replaceAll(/[\n\t]/g, ' ')
    .trim();
}

export function diffRows(lines: readonly DiffLine[], path: string, look: Look): readonly Row[] {
  const digits = String(lines.reduce((most, { number = 0 }) => Math.max(most, number), 0)).length;
  const hasNumbers = lines.some(({ number }) => number !== undefined);
  const budget = new HighlightBudget();
  // Longer diffs get no syntax colours.
  const isShort = lines.every(({ text }) => budget.take(text));
  const painter = diffPainter(isShort ? grammarOfPath(path) : undefined);
  return lines.flatMap((line) => {
    if (line.kind === 'gap') {
      painter.restart();
      const words = line.text === '' ? '' : ` ${line.text}`;
      return wrapIn(look, [styled(`${glyphsOf(look).gap}${words}`, dimStyle)], margin);
    }
    if (line.kind === 'note') return wrapIn(look, [styled(line.text, dimStyle)], margin);
    return lineRows(line, painter.paint(line), hasNumbers ? digits : 0, look);
  });
}

const margin: Row = [plain('    ')];
const signs = { added: '+', removed: '-', same: ' ' } as const;

function lineRows({ kind, number }: DiffLine, text: Row, digits: number, look: Look): readonly Row[] {
  if (kind === 'gap' || kind === 'note') return [];
  const style = styleOf(kind, look);
  const column = digits === 0 ? '' : `${String(number ?? '').padStart(digits)} `;
  const numbers = column === '' ? [] : [numberPiece(column, kind, look)];
  const first: Row = [...margin, ...numbers, { text: signs[kind], style }];
  const rest: Row = [...margin, plain(' '.repeat(column.length + 1))];
  const body = kind === 'same' ? text : restyled(text, style);
  const rows = wrapRow(body, { width: look.width, first, rest, breaking: 'anywhere' });
  if (kind === 'same' || !hasBackgroundColours(look)) return rows;
  return rows.map((row) => filledRow(row, look.width, { back: kind }));
}

function numberPiece(text: string, kind: 'added' | 'removed' | 'same', look: Look): RowPiece {
  if (kind === 'same' || !hasBackgroundColours(look)) return styled(text, dimStyle);
  return styled(text, { weight: 'dim', back: `${kind}-number` });
}

/** A line with a background colour of its own keeps its syntax colours. */
function styleOf(kind: 'added' | 'removed' | 'same', look: Look): Style {
  if (kind === 'same') return {};
  const weight: Style = kind === 'removed' ? dimStyle : {};
  return hasBackgroundColours(look) ? weight : { ...weight, colour: kind === 'added' ? 'good' : 'bad' };
}

/** Colours inside a hunk. Old and new lines are two texts, each with its own open comments. */
function diffPainter(grammar: Grammar | undefined) {
  let before: LongToken | undefined;
  let after: LongToken | undefined;
  return {
    restart(): void {
      [before, after] = [undefined, undefined];
    },
    paint({ kind, text }: DiffLine): Row {
      if (grammar === undefined) return [plain(text)];
      const { row, inside } = highlightLine(text, grammar, kind === 'removed' ? before : after);
      if (kind !== 'added') before = inside;
      if (kind !== 'removed') after = inside;
      return row;
    },
  };
}

/** Answers of other programs to a patch that they applied. */
const applied = /^(?:Exit code: 0\n|Success\.|\{"output":"Success\.)/;

/** A patch recorded only as a call and its answer, as in old files of other programs. Undefined for other calls. */
export function calledPatchCell(item: ToolCallItem): Cell | undefined {
  const { id, tool, arguments: given, output = '' } = item;
  const input = tool === 'apply_patch' ? stringAt(given, 'input') : undefined;
  if (input === undefined) return undefined;
  const isApplied = applied.test(output);
  const end = { status: isApplied ? 'completed' : 'failed', problem: isApplied ? undefined : output } as const;
  return {
    rows(look) {
      const changes = recordedChanges({ changes: [], call: { tool, input } });
      const cell = changes.length === 0 ? callCell(item) : patchCell({ kind: 'file-change', id, changes, ...end });
      return cell.rows(look);
    },
  };
}
