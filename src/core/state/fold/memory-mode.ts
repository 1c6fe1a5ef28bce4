import { stringAt } from '../../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../../protocol/line.ts';

/** Whether notes may be written about a thread. `polluted`: it has heard from the web or from MCP servers. */
export type MemoryMode = 'enabled' | 'disabled' | 'polluted';

/** Lines that say something about it. */
export function concernsMemory({ type }: LineKind): boolean {
  const { sessionMeta, responseItem, event, call } = lineType;
  return type === sessionMeta || type === responseItem || type === event || type === call;
}

/** The mode after one more line. What the thread says of itself counts, the last word first. */
export function foldMemoryMode(mode: MemoryMode, line: Line): MemoryMode {
  if (line.type === lineType.sessionMeta) {
    const said = stringAt(line.payload, 'memory_mode');
    return said === 'enabled' || said === 'disabled' || said === 'polluted' ? said : mode;
  }
  return mode === 'enabled' && bringsOthersWords(line) ? 'polluted' : mode;
}

/** Taken back or not: the words may live on in what came after them. */
function bringsOthersWords({ type, payload }: Line): boolean {
  if (type === lineType.call) return payload['external'] === true;
  const kind = stringAt(payload, 'type') ?? '';
  if (type === lineType.event) return kind.startsWith('mcp_tool_call') || kind.startsWith('web_search');
  if (kind === 'web_search_call' || kind === 'mcp_call' || kind === 'mcp_tool_call') return true;
  // Other programs do not say it of a call, and neither do our older files: there the names of tools have to.
  if (kind !== 'function_call' && kind !== 'custom_tool_call') return false;
  const [name, namespace] = [stringAt(payload, 'name') ?? '', stringAt(payload, 'namespace') ?? ''];
  return [name, namespace].some((each) => each.startsWith('mcp__')) || name === 'call_tool' || namespace === 'web';
}
