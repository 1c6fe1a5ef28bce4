import { replaceInvisible } from '../../../base/invisible.ts';
import { numberAt, stringAt } from '../../../protocol/json.ts';
import type { ToolCallItem } from '../../../protocol/turn-item.ts';
import { boldStyle, plain, type Row, styled } from '../text/style.ts';
import { titledCallCell } from './call-cell.ts';
import type { Cell } from './cell.ts';

/** The model typed into a command that runs in the background, or waited for it. Undefined: it is another tool. */
export function backgroundCell(item: ToolCallItem): Cell | undefined {
  if (item.server !== undefined || item.tool !== 'write_stdin') return undefined;
  const { arguments: given, status } = item;
  const typed = stringAt(given, 'chars') ?? '';
  const session = `background terminal ${numberAt(given, 'session_id') ?? ''}`.trim();
  const verb = typed === '' ? (status === 'in-progress' ? 'Waiting for' : 'Waited for') : 'Typed into';
  const title: Row = [styled(`${verb} ${session}`, boldStyle), plain(typed === '' ? '' : `: ${shownKeys(typed)}`)];
  return titledCallCell(item, () => title);
}

const longestKeys = 200;

/** Keys that have no sign by their names. */
function shownKeys(typed: string): string {
  const near = typed.length > longestKeys ? `${typed.slice(0, longestKeys)} and more` : typed;
  const shown = JSON.stringify(near.replaceAll('\u0003', '^C').replaceAll('\u0004', '^D'));
  return replaceInvisible(shown.slice(1, -1), () => '');
}
