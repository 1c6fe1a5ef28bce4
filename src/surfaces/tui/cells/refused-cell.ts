import { refusalReason } from '../../../fragments/answers/call-answers.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { cleanLine } from '../text/clean.ts';
import { boldStyle, plain, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { commandLineRows } from './command-text.ts';
import { foldLimits, outputRows } from './folded-output.ts';
import { cellOfRows, framedRows, headRows, stateMark } from './frame.ts';

/** A call that was not run: what it would have been, and why it was not. */
export function refusedCell({ tool, item, reason }: Extract<ThreadEvent, { kind: 'call-refused' }>): Cell {
  return cellOfRows((look) => {
    const [command] = item?.kind === 'command' ? commandLineRows(item.argv) : [];
    const head: Row = [styled('Not run: ', boldStyle), ...(command ?? [plain(cleanLine(nameOf(tool, item)))])];
    return [
      ...headRows(look, stateMark('bad', look), head),
      ...framedRows(look, outputRows(refusalReason(reason), foldLimits.refused, look)),
    ];
  });
}

function nameOf(tool: string, item: TurnItem | undefined): string {
  if (item?.kind === 'tool-call' && item.server !== undefined) return `${item.server}.${item.tool}`;
  // A script that only applies a patch is one.
  return item?.kind === 'file-change' && tool === 'exec_command' ? 'apply_patch' : tool;
}
