import { agentAnswer } from './agent-lines.ts';
import { goalChange } from './goal-lines.ts';
import { toolLine } from './tool-line.ts';
import { omittedIn } from '../../protocol/omitted-output.ts';
import type { ThreadEvent } from '../../protocol/thread-event.ts';
import type { ChangedFile, CommandItem, FileChangeItem, PlanItem, ToolCallItem } from '../../protocol/turn-item.ts';
import { diffSpans } from '../terminal/diff-lines.ts';
import { bold, dim, red, type Span, yellow } from '../terminal/look.ts';
import { count } from '../wording/number-words.ts';
import { shownName } from '../wording/shown-name.ts';
import { sizeWords } from '../wording/size-words.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { durationWords } from '../wording/duration-words.ts';

export interface ItemForm {
  /** Long outputs are folded: for a terminal, where they would push everything else away. */
  readonly folded: boolean;
  /** A signal ended the turn: a command that was cut short has not failed by itself. */
  readonly interrupted: boolean;
  /** Where the turn works: paths in it are shown without it. */
  readonly folder?: string;
}

/** What came of a command: its output, and how it ended. */
export function commandEnd(item: CommandItem, { folded, interrupted }: ItemForm): readonly Span[] {
  const { exitCode, durationMs = 0, unfinished, status } = item;
  const after = durationMs < 1000 ? '' : ` after ${durationWords(durationMs)}`;
  const shown = outputLines(item.output, folded);
  if (exitCode === 0) return [...shown, dim(`  [exit 0${after}]`)];
  if (exitCode !== undefined) return [...shown, red(`  [exit ${exitCode}${after}]`)];
  if (status === 'declined') return [...shown, yellow('  [refused]')];
  if (unfinished === 'timed-out') return [...shown, red(`  [timed out${after}]`)];
  return [...shown, yellow(`  [${interrupted || unfinished === 'interrupted' ? 'interrupted' : 'failed'}${after}]`)];
}

export function toolEnd(item: ToolCallItem, { folded }: ItemForm): readonly Span[] {
  const { output = '', status } = item;
  return [
    ...outputLines(agentAnswer(item) ?? goalChange(item) ?? output, folded),
    status === 'failed' ? red('  [failed]') : dim(`  [${status}]`),
  ];
}

/** A patch: which files, what changes in them, and why nothing does. */
export function patchEnd({ changes, status, problem }: FileChangeItem, form: ItemForm): readonly Span[] {
  const { folded, folder = '/' } = form;
  const files = changes.flatMap((change): readonly Span[] => {
    return [
      bold(`${changeWords(change, folder)}\n`),
      ...(status === 'completed' ? diffLines(change.diff ?? '', folded) : []),
    ];
  });
  if (status !== 'failed') return [...files, dim(`  [${status}]`)];
  return [...files, ...outputLines(problem ?? '', folded), red('  [failed]')];
}

/** A call that was not run: what it would have done, and why it did not. */
export function callNotRun({ tool, item, reason }: Extract<ThreadEvent, { kind: 'call-refused' }>) {
  return {
    call:
      item?.kind === 'command'
        ? commandLines(item.argv)
        : item?.kind === 'tool-call'
          ? toolLine(item)
          : visibleLine(`tool ${shownName(tool)}`),
    reason: fold(reason.trim(), true).join('\n'),
  };
}

export function planLines({ steps }: PlanItem): readonly string[] {
  return steps.map(({ text, status }) => `[${marks[status]}] ${text}`);
}

/** A command as it is written. Rows after the first have a mark: without one they could pass for the model's words. */
export function commandLines(argv: readonly string[]): string {
  return `$ ${(argv.at(-1) ?? '').trimEnd().replaceAll('\n', '\n  > ')}`;
}

const marks = { completed: 'x', 'in-progress': '>', pending: ' ' };

function changeWords({ path, kind, movePath }: ChangedFile, folder: string): string {
  const shown = (each: string): string => (each.startsWith(`${folder}/`) ? each.slice(folder.length + 1) : each);
  return visibleLine(`${kind} ${shown(path)}${movePath === undefined ? '' : ` -> ${shown(movePath)}`}`);
}

function diffLines(diff: string, folded: boolean): readonly Span[] {
  return diff === '' ? [] : diffSpans(fold(diff, folded).join('\n'), '  ');
}

function outputLines(output: string, folded: boolean): readonly Span[] {
  const text = output.trimEnd();
  return text === ''
    ? []
    : [
        dim(
          `${fold(text, folded)
            .map((line) => `  ${line}`)
            .join('\n')}\n`,
        ),
      ];
}

/** Lines of an output that a terminal shows from its beginning, and from its end. */
const [headLines, tailLines, longestLine] = [10, 10, 500];

function fold(text: string, folded: boolean): readonly string[] {
  const lines = text.split('\n');
  if (!folded) return lines;
  const cut = (line: string): string => (line.length <= longestLine ? line : `${line.slice(0, longestLine)} …`);
  if (lines.length <= headLines + tailLines + 1) return lines.map(cut);
  const left = lines.slice(headLines, -tailLines);
  return [...lines.slice(0, headLines).map(cut), foldMark(left), ...lines.slice(-tailLines).map(cut)];
}

/** What stands in the place of lines. Not all of an output may be there to be shown. */
function foldMark(lines: readonly string[]): string {
  const omitted = omittedIn(lines.join('\n'));
  if (omitted === undefined) return `… ${count(lines.length)} more lines (--verbose shows all)`;
  const kept = lines.length - 1;
  const lost = `and ${sizeWords(omitted.bytes)} that Capstan did not keep`;
  if (omitted.lines === 0) return `… ${count(kept)} more lines (--verbose shows them), ${lost}`;
  return `… ${count(kept + omitted.lines)} more lines (--verbose shows ${count(kept)} of them), ${lost}`;
}
