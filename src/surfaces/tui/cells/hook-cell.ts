import type { HookEntry, HookRun } from '../../../protocol/hook-run.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import type { Look } from '../text/look.ts';
import { badStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows, framedRows, headRows, stateMark } from './frame.ts';
import { foldLimits, outputRows } from './folded-output.ts';

const ends: Readonly<Record<HookRun['status'], string>> = {
  completed: 'finished',
  blocked: 'said no',
  stopped: 'ended the turn',
  failed: 'failed',
};

/** A hook that ran. One that has nothing to say is shown in the transcript alone. */
export function hookCell({ event, command, status, entries }: HookRun): Cell {
  return cellOfRows((look) => {
    const isQuiet = status === 'completed' && entries.length === 0;
    if (isQuiet && look.details === 'folded') return [];
    const mark = stateMark(status === 'completed' ? 'quiet' : 'bad', look);
    const head: Row = [styled(`${event} hook ${ends[status]}`, boldStyle), plain(`: ${visibleLine(command)}`)];
    return [
      ...headRows(look, mark, head),
      ...framedRows(
        look,
        entries.flatMap((entry) => entryRows(entry, look)),
      ),
    ];
  });
}

/** Most hooks are over sooner: those are not shown while they run. */
const shownAfterMs = 300;

export interface RunningHooksShown {
  readonly event: HookRun['event'];
  readonly names: readonly string[];
  readonly startedAt: number;
}

/** Hooks that the turn waits for. */
export function runningHooksCell({ event, names, startedAt }: RunningHooksShown): Cell {
  return cellOfRows((look) => {
    if (look.now - startedAt < shownAfterMs) return [];
    const head: Row = [
      styled(`Running ${event} ${names.length === 1 ? 'hook' : 'hooks'}`, boldStyle),
      plain(`: ${visibleLine(names.join(', '))}`),
    ];
    return headRows(look, stateMark('running', look), head);
  });
}

const entryRowsKept = { ...foldLimits.quiet, most: 3, head: 1, tail: 1 };

function entryRows({ kind, text }: HookEntry, look: Look): readonly Row[] {
  const isBad = kind === 'error' || kind === 'warning' || kind === 'stop' || kind === 'feedback';
  const rows = outputRows(`${kind}: ${text}`, isBad ? foldLimits.failed : entryRowsKept, look);
  return isBad
    ? rows.map((row) => row.map((piece) => styled(piece.text, kind === 'error' ? badStyle : dimStyle)))
    : rows;
}
