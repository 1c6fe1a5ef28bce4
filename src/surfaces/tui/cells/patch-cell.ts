import type { ChangedFile, FileChangeItem } from '../../../protocol/turn-item.ts';
import { recordedChanges } from '../../../tools/apply-patch/recorded-changes.ts';
import { plural } from '../../wording/number-words.ts';
import { cleanLines } from '../text/clean.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';
import { badStyle, boldStyle, dimStyle, goodStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { Cell } from './cell.ts';
import { diffLinesOf, diffRows } from './diff-rows.ts';
import { foldRow } from './folded-output.ts';
import { cellOfRows, headRows, stateMark, underRows } from './frame.ts';

/** Rows of one file that are shown before the rest is folded. */
const [mostRows, keptRows] = [100, 80];

/** A patch: which files, what changes in them, and why nothing does. */
export function patchCell(item: FileChangeItem): Cell {
  const { status, problem } = item;
  return cellOfRows((look) => {
    // Read when it is drawn: a resumed thread has many that never are.
    const files = recordedChanges(item)
      .toSorted(byPath)
      .map((change) => fileOf(change));
    const isBad = status === 'failed';
    const mark = stateMark(isBad ? 'bad' : status === 'in-progress' ? 'running' : 'plain', look);
    const why = isBad ? problemRows(problem ?? '', look) : [];
    if (files.length === 1) {
      const [file] = files;
      const head: Row = [styled(`${verbOf(file!.change, status)} `, boldStyle), ...fileTitle(file!, look)];
      return [...headRows(look, mark, head), ...why, ...bodyRows(file!, isBad, look)];
    }
    const verb = isBad ? 'Failed to edit' : status === 'in-progress' ? 'Editing' : 'Edited';
    const head: Row = [styled(`${verb} ${plural(files.length, 'file')}`, boldStyle), ...countPieces(total(files))];
    const each = files.flatMap((file) => {
      const title = [styled(`  ${glyphsOf(look).corner} `, dimStyle)];
      return [
        ...wrapRow([...fileTitle(file, look), ...kindPieces(file.change)], {
          width: look.width,
          first: title,
          rest: [plain('    ')],
        }),
        ...bodyRows(file, isBad, look),
      ];
    });
    return [...headRows(look, mark, head), ...why, ...each];
  });
}

interface PatchedFile {
  readonly change: ChangedFile;
  readonly lines: ReturnType<typeof diffLinesOf>;
  readonly added: number;
  readonly removed: number;
}

function fileOf(change: ChangedFile): PatchedFile {
  const lines = diffLinesOf(change);
  const of = (kind: string): number => lines.reduce((sum, line) => sum + (line.kind === kind ? 1 : 0), 0);
  return { change, lines, added: of('added'), removed: of('removed') };
}

function verbOf({ kind }: ChangedFile, status: FileChangeItem['status']): string {
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

/** In a list of files: what is not an edit. */
function kindPieces({ kind }: ChangedFile): Row {
  return kind === 'update' ? [] : [styled(kind === 'add' ? ' new' : ' deleted', dimStyle)];
}

function countPieces({ added, removed }: { readonly added: number; readonly removed: number }): Row {
  if (added === 0 && removed === 0) return [];
  return [plain(' ('), styled(`+${added}`, goodStyle), plain(' '), styled(`-${removed}`, badStyle), plain(')')];
}

function total(files: readonly PatchedFile[]): { readonly added: number; readonly removed: number } {
  const sum = (key: 'added' | 'removed'): number => files.reduce((all, file) => all + file[key], 0);
  return { added: sum('added'), removed: sum('removed') };
}

/** What was to change is of interest in the transcript alone where nothing did. */
function bodyRows({ change, lines }: PatchedFile, isBad: boolean, look: Look): readonly Row[] {
  const isWhole = look.details === 'whole';
  if (isBad && !isWhole) return [];
  const path = change.movePath ?? change.path;
  if (isWhole || lines.length <= mostRows) return diffRows(lines, path, look);
  const shown = diffRows(lines.slice(0, keptRows), path, look);
  return [...shown, [plain('    '), ...foldRow(lines.length - keptRows, look)]];
}

function problemRows(problem: string, look: Look): readonly Row[] {
  if (problem.trim() === '') return [];
  return underRows(
    look,
    cleanLines(problem.trimEnd()).map((line) => [styled(line, badStyle)]),
  );
}

function byPath(a: ChangedFile, b: ChangedFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
