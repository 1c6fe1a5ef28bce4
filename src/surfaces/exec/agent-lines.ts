import { toolLine } from './tool-line.ts';
import { isJsonObject, type Json, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { ContextEvent } from '../../protocol/thread-event.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { visibleLine } from '../terminal/visible-text.ts';

const longest = 120;

/** The start of a call: of an agent with its role and what it is to do. */
export function toolStart(item: ToolCallItem): string {
  const { tool, arguments: given, server } = item;
  if (tool !== 'spawn_agent' || server !== undefined) return toolLine(item);
  const [name, role] = [stringAt(given, 'name'), stringAt(given, 'agent_type') ?? 'default'];
  return visibleLine(
    `agent ${name === undefined ? role : `${name} (${role})`}: ${beginning(stringAt(given, 'message'))}`,
  );
}

/** What the user is shown of the answer of a tool for agents, in place of its JSON. Undefined: what it is. */
export function agentAnswer({ tool, output = '', server }: ToolCallItem): string | undefined {
  const answer = server === undefined ? parseJsonObject(output) : undefined;
  const path = stringAt(answer, 'agent_path');
  if (tool === 'spawn_agent' && path !== undefined) return `started ${path}`;
  if (tool === 'send_input' && path !== undefined) return `${path}: ${stringAt(answer, 'delivered') ?? ''}`;
  const status = tool === 'wait_agent' ? objectAt(answer, 'status') : undefined;
  if (status === undefined) return undefined;
  return Object.entries(status)
    .map(([agent, stands]) => `${agent}: ${String(stands)}`)
    .join('\n');
}

/** What the thread reads of an agent that has ended its work. Undefined: the text is another. */
export function agentEnd({ content, value }: Pick<ContextEvent, 'content' | 'value'>): string | undefined {
  if (content !== 'subagent_notification' || !isJsonObject(value)) return undefined;
  const [path, status] = [stringAt(value, 'agentPath'), objectAt(value, 'status')];
  const words = stringAt(status, 'answer') ?? stringAt(status, 'message');
  const ended = `agent ${path ?? ''} ${stringAt(status, 'kind') ?? 'ended'}`;
  return visibleLine(words === undefined ? ended : `${ended}: ${beginning(words)}`);
}

function beginning(text: Json | undefined): string {
  const [first = ''] = String(text ?? '')
    .trim()
    .split('\n');
  return first.length > longest ? `${first.slice(0, longest)}…` : first;
}
