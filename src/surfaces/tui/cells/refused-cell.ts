import { refusalReason } from '../../../fragments/answers/call-answers.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
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
    const name = item?.kind === 'tool-call' && item.server !== undefined ? `${item.server}.${item.tool}` : tool;
    const head: Row = [styled('Not run: ', boldStyle), ...(command ?? [plain(cleanLine(name))])];
    return [
      ...headRows(look, stateMark('bad', look), head),
      ...framedRows(look, outputRows(refusalReason(reason), foldLimits.refused, look)),
    ];
  });
}
