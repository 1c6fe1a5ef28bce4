import { arrayAt, stringAt } from '../../../protocol/json.ts';
import type { ToolCallItem } from '../../../protocol/turn-item.ts';
import { plural } from '../../wording/number-words.ts';
import { cleanLine } from '../text/clean.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { cutRow } from '../text/cut.ts';
import type { Look } from '../text/look.ts';
import { titledCallCell } from './call-cell.ts';
import type { Cell } from './cell.ts';

/** A call of a tool for agents. Undefined: it is another tool. */
export function agentCell(item: ToolCallItem): Cell | undefined {
  if (item.server !== undefined || !Object.hasOwn(titles, item.tool)) return undefined;
  return titledCallCell(item, (look) => titles[item.tool]!(item, look));
}

const titles: Readonly<Record<string, (item: ToolCallItem, look: Look) => Row>> = {
  spawn_agent({ arguments: given, status }, look) {
    const [name, role] = [stringAt(given, 'name'), stringAt(given, 'agent_type') ?? 'default'];
    const model = [stringAt(given, 'model'), stringAt(given, 'reasoning_effort')].filter((each) => each !== undefined);
    const verb = status === 'in-progress' ? 'Spawning' : status === 'failed' ? 'Failed to spawn' : 'Spawned';
    return [
      styled(`${verb} `, boldStyle),
      styled(cleanLine(name ?? 'an agent'), accentStyle),
      plain(` [${cleanLine(role)}]`),
      ...(model.length === 0 ? [] : [styled(` (${cleanLine(model.join(' '))})`, dimStyle)]),
      ...messagePieces(stringAt(given, 'message'), look),
    ];
  },
  send_input({ arguments: given, status }, look) {
    const verb =
      status === 'in-progress' ? 'Sending input to' : status === 'failed' ? 'Failed to send input to' : 'Sent input to';
    return [...targetPieces(verb, stringAt(given, 'target')), ...messagePieces(stringAt(given, 'message'), look)];
  },
  wait_agent({ arguments: given, status }) {
    const targets = arrayAt(given, 'targets')?.length ?? 0;
    const whom = targets === 0 ? 'agents' : plural(targets, 'agent');
    return [styled(status === 'in-progress' ? `Waiting for ${whom}` : 'Finished waiting', boldStyle)];
  },
  list_agents: () => [styled('Listed agents', boldStyle)],
  close_agent: ({ arguments: given, status }) =>
    targetPieces(
      status === 'in-progress' ? 'Closing' : status === 'failed' ? 'Failed to close' : 'Closed',
      stringAt(given, 'target'),
    ),
};

function targetPieces(verb: string, target: string | undefined): Row {
  return [styled(`${verb} `, boldStyle), styled(cleanLine(target ?? 'an agent'), accentStyle)];
}

const mostCharacters = 160;

function messagePieces(message: string | undefined, look: Look): Row {
  if (message === undefined || message.trim() === '') return [];
  const text = [styled(`: ${cleanLine(message).trim()}`, dimStyle)];
  return look.details === 'whole' ? text : cutRow(text, mostCharacters, look);
}
