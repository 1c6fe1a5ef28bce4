import type { ToolCallItem } from '../../../protocol/turn-item.ts';
import { agentAnswer } from '../../exec/agent-lines.ts';
import { goalChange } from '../../exec/goal-lines.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow } from '../text/cut.ts';
import type { Look } from '../text/look.ts';
import { badStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { foldLimits, outputRows } from './folded-output.ts';
import { cellOfRows, framedRows, headRows, stateMark } from './frame.ts';

/** A call of a tool that has no cell of its own: of an MCP server, of the client, or of Capstan. */
export function callCell(item: ToolCallItem): Cell {
  return titledCallCell(item, (look) => {
    const { server, tool, status } = item;
    const name = cleanLine(server === undefined ? tool : `${server}.${tool}`);
    const verb = { 'in-progress': 'Calling', completed: 'Called', failed: 'Failed:' }[status];
    return [styled(`${verb} `, boldStyle), plain(name), ...argumentPieces(item, look)];
  });
}

/** The same with words of its own in the place of the call. */
export function titledCallCell(item: ToolCallItem, title: (look: Look) => Row): Cell {
  return cellOfRows((look) => {
    const { status, output = '' } = item;
    const isBad = status === 'failed';
    const mark = stateMark(isBad ? 'bad' : status === 'in-progress' ? 'running' : 'plain', look);
    const words = agentAnswer(item) ?? goalChange(item) ?? output;
    const rows = outputRows(words, isBad ? foldLimits.failed : foldLimits.quiet, look);
    const shown = isBad ? rows.map((row) => row.map((piece) => styled(piece.text, badStyle))) : rows;
    return [...headRows(look, mark, title(look)), ...framedRows(look, shown)];
  });
}

const mostCharacters = 300;

function argumentPieces({ arguments: given }: ToolCallItem, look: Look): Row {
  const json = JSON.stringify(given);
  if (json === '{}') return [styled('()', dimStyle)];
  const text = styled(`(${cleanLine(look.details === 'whole' ? json : json.slice(0, 4 * mostCharacters))})`, dimStyle);
  return look.details === 'whole' ? [text] : cutRow([text], mostCharacters, look);
}
