import { countColumns } from '../../../base/text-columns.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ChangedFile, FileChangeItem, TurnItem } from '../../../protocol/turn-item.ts';
import { justificationLines, questionLines, requiredQuestionLines } from '../../views/questions/question-lines.ts';
import { unambiguousLine, unambiguousText } from '../../views/terminal/exact-text.ts';
import { paint, type Span } from '../../views/terminal/styled-text.ts';
import { keyHint } from '../screen/keys/key-map.ts';
import { drawCutRows, listMargin } from '../pages/list-parts.ts';
import { beginningOfRow, drawRow } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { paintedRows } from '../screen/text/output-colours.ts';
import { dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import { patchCell } from '../transcript/cells/patch-cells.ts';

export interface QuestionRows {
  /** Uncut. The words of the model come last, so that they cannot push anything else out of sight. */
  readonly all: readonly string[];
  /** The least that the user must see of the effect of a yes: a short window shows it first. */
  readonly core: readonly string[];
  readonly diff: readonly string[];
}

export function questionRows(question: Question, item: TurnItem | undefined, look: Look): QuestionRows {
  const { width } = look;
  const words = spanRows(justificationLines(question, { width }), look);
  const lines = (of: Question, about: TurnItem | undefined): readonly string[] =>
    spanRows(questionLines(of, about, { width, words: 'elsewhere' }), look);
  if (question.kind !== 'patch' || item?.kind !== 'file-change') {
    const whole = lines(question, item);
    const core = question.argv === undefined ? whole : spanRows(requiredQuestionLines(question, item, { width }), look);
    return { all: [...whole, ...words], core, diff: [] };
  }
  const { changes } = item;
  const isShown = (path: string): boolean => changes.some((change) => change.path === path || change.movePath === path);
  // The item does not keep all changes of a long patch, but the question has all paths.
  const paths = question.paths?.filter(({ path }) => !isShown(path)) ?? [];
  const diff = patchRows(item, changes.map(visibleChange), look);
  const bare = changes.map((change) => ({ ...change, diff: '' }));
  const all = [...lines({ ...question, paths }, undefined), ...diff, ...words];
  // The title of a patch names the file if there is only one.
  const head = changes.length === 1 && paths.length === 0 ? patchRows(item, bare.map(visibleChange), look).length : 0;
  if (head > 0) return { all, core: diff.slice(0, head), diff: diff.slice(head) };
  return { all, core: spanRows(requiredQuestionLines(question, { ...item, changes: bare }, { width }), look), diff };
}

const patchRows = (item: FileChangeItem, changes: readonly ChangedFile[], look: Look): readonly string[] =>
  patchCell({ ...item, status: 'in-progress', changes }).rows({ ...look, details: 'whole' });

/** Shows a sign for every hidden character, as other questions do: a yes writes hidden characters too. */
function visibleChange(change: ChangedFile): ChangedFile {
  const { path, movePath, diff } = change;
  // By line, to show a carriage return at the end of a line too.
  const lines = diff?.split('\n').map((line) => unambiguousText(line));
  return {
    ...change,
    path: unambiguousLine(path, 'words'),
    movePath: movePath === undefined ? undefined : unambiguousLine(movePath, 'words'),
    diff: lines?.join('\n'),
  };
}

function spanRows(spans: readonly Span[], look: Look): readonly string[] {
  const rows = paintedRows(paint(spans, true), look);
  // A style may end behind the last line.
  // oxlint-disable-next-line no-control-regex -- our own styles
  return rows.slice(0, rows.findLastIndex((row) => /[^\s]/.test(row.replaceAll(/\u001B\[[\d;]*m/g, ''))) + 1);
}

/** From this many rows on, the last one says how much is left out. */
const fewestSaid = 2;

interface ShortQuestion {
  readonly rows: readonly string[];
  /** `core`: what a yes would run or change is visible, and a row says that there is more. */
  readonly shows: 'all' | 'core' | 'part';
  readonly isSaid: boolean;
}

/** Fits the question: the command or the paths of a patch come first, then the reason. The last row counts the rest. */
export function fitQuestionRows(question: Question, asked: QuestionRows, look: Look, room: number): ShortQuestion {
  const { all, core, diff } = asked;
  if (all.length <= room) return { rows: all, shows: 'all', isSaid: true };
  const hasStart = question.argv !== undefined || diff.length > 0;
  if (room < fewestSaid) return { rows: core.slice(0, room), shows: 'part', isSaid: false };
  const space = room - 1;
  const shows = core.length <= space ? 'core' : 'part';
  if (shows === 'part' && !hasStart)
    return { rows: [moreRow(all.length - space, ' above', look), ...core.slice(-space)], shows, isSaid: true };
  const why = question.argv === undefined || question.host !== undefined ? [] : reasonRows(question.reason, look);
  // The command comes before the reason; if it is cut anyway, the reason gets one row.
  const whyRows = shows === 'core' ? space - core.length : space > 2 ? 1 : 0;
  const reason = cutRows(why, whyRows, look);
  const begun = [...core.slice(0, space - reason.length), ...reason];
  const shown = [...begun, ...diff.slice(0, space - begun.length)];
  const rows = hasStart && shown.length < space ? [...all.slice(0, 1), ...shown] : shown;
  return { rows: [...rows, moreRow(all.length - rows.length, '', look)], shows, isSaid: true };
}

const reasonRows = (reason: string | undefined, { width }: Look): readonly Row[] =>
  reason === undefined ? [] : wrapRow([plain(unambiguousLine(reason))], { width, first: listMargin });

function cutRows(rows: readonly Row[], most: number, look: Look): readonly string[] {
  const { ellipsis } = glyphsOf(look);
  const kept = rows.slice(0, most);
  const isCut = kept.length < rows.length;
  return kept.map((row, at) => {
    const last = isCut && at === kept.length - 1;
    const room = look.width - (last ? ellipsis.length : 0);
    return drawRow(last ? [...beginningOfRow(row, room), plain(ellipsis)] : row, look);
  });
}

/** The key that shows all is never cut. */
function moreRow(left: number, where: string, look: Look): string {
  const { ellipsis } = glyphsOf(look);
  const all = keyHint(look, 'approval.open_fullscreen', (key) => `: ${key} shows all`);
  const key = keyHint(look, 'approval.open_fullscreen', (name) => `: ${name}`);
  const texts = [`  ${ellipsis} ${left} more rows${where}${all}`, `${ellipsis} ${left} more${key}`];
  const text = texts.find((each) => countColumns(each) <= look.width) ?? `${ellipsis}${key}`;
  return drawCutRows([[styled(text, dimStyle)]], look)[0]!;
}
