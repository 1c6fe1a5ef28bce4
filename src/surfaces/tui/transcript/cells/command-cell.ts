import { shellCall } from '../../../../core/policy/commands/command-words.ts';
import { plural } from '../../../../engine/wording.ts';
import { quoteShellCommand } from '../../../../protocol/shell.ts';
import type { CommandItem } from '../../../../protocol/turn-item.ts';
import { unambiguousText } from '../../../views/terminal/exact-text.ts';
import { cleanLines } from '../../screen/text/clean-text.ts';
import { elapsedWords, preciseDurationText } from '../../screen/text/format-values.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import {
  accentStyle,
  badStyle,
  boldStyle,
  dimStyle,
  goodStyle,
  plain,
  type Row,
  styled,
  warnStyle,
} from '../../screen/text/style.ts';
import { wrapIn } from '../../screen/text/wrap-row.ts';
import { grammarOf, highlightLine } from '../markdown/syntax-highlight.ts';
import { type Cell, cellFromRows, indentWrappedRows, markPieces, stateMark } from './cell.ts';
import { foldLimits, lastOutputRows, outputRows } from './folded-output.ts';

export interface CallState {
  /** Start time in milliseconds, for running calls. */
  readonly startedAt?: number;
  /** Absent: in the sandbox of the other calls. */
  readonly place?: 'outside' | 'wider';
  /** The command could not be recorded: the model does not read it, and its end is unknown. */
  readonly isUnrecorded?: true;
}

export function commandCell(item: CommandItem, context: CallState = {}): Cell {
  return cellFromRows((look) =>
    look.details === 'whole' ? wholeRows(item, context, look) : foldedRows(item, context, look),
  );
}

function foldedRows(item: CommandItem, context: CallState, look: Look): readonly Row[] {
  const { status, output } = item;
  const isRunning = status === 'in-progress';
  const isBad = isFailure(item);
  const mark = stateMark(isRunning ? 'running' : isBad ? 'bad' : 'good', look);
  const title: Row = [styled(titleOf(item, context), boldStyle), plain(' '), ...placePieces(context)];
  const [first = [], ...more] = commandLineRows(item.argv);
  const head = wrapIn(look, [...title, ...first, ...timePieces(item, context, look)], markPieces(mark), bar(look));
  const shown = isRunning
    ? lastOutputRows(output, runningRows, look)
    : outputRows(output, limitsOf(isBad, item), look, item.outputLines);
  const none = item.outputUnknown === true ? '(output no longer available)' : '(no output)';
  const rows = shown.length > 0 || isRunning || status === 'declined' ? shown : [[styled(none, dimStyle)]];
  return [
    ...headFolded([...head, ...more.flatMap((line) => wrapIn(look, line, bar(look)))], look),
    ...indentWrappedRows(look, rows),
  ];
}

const runningRows = 3;
const headRowsKept = 3;

function headFolded(rows: readonly Row[], look: Look): readonly Row[] {
  if (rows.length <= headRowsKept) return rows;
  const words = `${glyphsOf(look).ellipsis} +${plural(rows.length - headRowsKept, 'line')}`;
  return [...rows.slice(0, headRowsKept), [...bar(look), styled(words, dimStyle)]];
}

const bar = (look: Look): Row => [styled(`  ${glyphsOf(look).bar} `, dimStyle)];

function limitsOf(isBad: boolean, { byUser, status }: CommandItem) {
  if (status === 'declined') return foldLimits.refused;
  if (byUser === true) return isBad ? foldLimits.ownFailed : foldLimits.own;
  return isBad ? foldLimits.failed : foldLimits.quiet;
}

function isFailure({ status, exitCode, unfinished }: CommandItem): boolean {
  if (status === 'in-progress') return false;
  return status !== 'completed' || (exitCode ?? 0) !== 0 || unfinished !== undefined;
}

function titleOf(item: CommandItem, { isUnrecorded }: CallState): string {
  const { byUser, status, exitCode } = item;
  if (status === 'in-progress') return 'Running';
  if (isUnrecorded === true) return 'Not recorded:';
  if (!isFailure(item)) return byUser === true ? 'You ran' : 'Ran';
  if (exitCode !== undefined && exitCode !== 0)
    return byUser === true ? `Your command failed (exit ${exitCode}):` : `Failed (exit ${exitCode})`;
  const end = endOf(item);
  if (byUser !== true) return `${end}:`;
  return `Your command ${item.unfinished === 'interrupted' ? 'was interrupted' : end.toLowerCase()}:`;
}

function endOf({ status, unfinished }: CommandItem): string {
  if (status === 'declined') return 'Not run';
  if (unfinished === 'timed-out') return 'Timed out';
  if (unfinished === 'interrupted') return 'Interrupted';
  return unfinished === 'not-started' ? 'Not started' : 'Failed';
}

/** Before the command, which may be long. */
function placePieces({ place }: CallState): Row {
  if (place === undefined) return [];
  return [styled(place === 'outside' ? '[outside the sandbox] ' : '[wider sandbox] ', warnStyle)];
}

function timePieces({ status, durationMs = 0 }: CommandItem, { startedAt }: CallState, look: Look): Row {
  const spent = status === 'in-progress' ? (startedAt === undefined ? 0 : look.now - startedAt) : durationMs;
  return spent < 1000 ? [] : [styled(` (${elapsedWords(spent)})`, dimStyle)];
}

/** The transcript view: the command, all of its output, its result and duration. */
function wholeRows(item: CommandItem, context: CallState, look: Look): readonly Row[] {
  const [first = [], ...more] = commandLineRows(item.argv);
  const prompt = styled(item.byUser === true ? '! ' : '$ ', accentStyle);
  const lines = [[...placePieces(context), ...first], ...more].flatMap((line, at) =>
    wrapIn(look, line, [at === 0 ? prompt : plain('  ')], [plain('  ')]),
  );
  const output = indentWrappedRows(look, outputRows(item.output, foldLimits.quiet, look)).map(withoutCorner);
  return [...lines, ...output, ...wrapIn(look, endRow(item, context, look))];
}

const withoutCorner = ([prefix, ...row]: Row): Row =>
  prefix === undefined ? row : [plain(' '.repeat(prefix.text.length)), ...row];

function endRow(item: CommandItem, context: CallState, look: Look): Row {
  const { byUser, status, exitCode, durationMs } = item;
  const { good, bad, dot } = glyphsOf(look);
  if (status === 'in-progress') return [styled('running', dimStyle), ...timePieces(item, context, look)];
  const spent = durationMs === undefined ? '' : ` ${dot} ${preciseDurationText(durationMs)}`;
  const time = byUser === true ? `${spent} ${dot} run by you` : spent;
  if (!isFailure(item)) return [styled(good, goodStyle), styled(time, dimStyle)];
  const why = exitCode === undefined ? endOf(item).toLowerCase() : String(exitCode);
  return [styled(`${bad} (${why})`, badStyle), styled(time, dimStyle)];
}

/** A command as it was written, without the shell that runs it. */
export function commandText(argv: readonly string[]): string {
  const call = shellCall(argv);
  const isPlain = call?.isOrdinary === true && call.parameters.length === 0 && isInstalled(call.program);
  const script = isPlain ? call.script : undefined;
  return (script ?? quoteShellCommand(argv)).trim();
}

/** True for a plain name or an absolute path. A program by a relative path may be anything. */
const isInstalled = (program: string): boolean => program.startsWith('/') || !/[\\/]/.test(program);

/** Lines of a command in colour, with a sign for every character that is hidden or looks like another. */
export function commandLineRows(argv: readonly string[]): readonly Row[] {
  const grammar = grammarOf('sh');
  return cleanLines(unambiguousText(commandText(argv), 'words')).map((line) =>
    grammar === undefined ? [plain(line)] : highlightLine(line, grammar).row,
  );
}
