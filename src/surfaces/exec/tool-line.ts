import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { shownName } from '../wording/shown-name.ts';

/** A call by the name of its tool, with the server whose it is. */
export function toolLine({ server, tool }: ToolCallItem): string {
  return visibleLine(`tool ${shownName(tool)}${server === undefined ? '' : ` of the MCP server ${server}`}`);
}
