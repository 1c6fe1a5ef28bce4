import { stringAt } from '../../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../../protocol/line.ts';

/** Permission to write notes about a thread. `polluted`: it contains text from the web or from MCP servers. */
export type MemoryMode = 'enabled' | 'disabled' | 'polluted';

export function concernsMemory({ type }: LineKind): boolean {
  const { sessionMeta, responseItem, event, call } = lineType;
  return type === sessionMeta || type === responseItem || type === event || type === call;
}

/** A mode that the thread itself states wins, the newest first. */
export function foldMemoryMode(mode: MemoryMode, line: Line): MemoryMode {
  if (line.type === lineType.sessionMeta) {
    const said = stringAt(line.payload, 'memory_mode');
    return said === 'enabled' || said === 'disabled' || said === 'polluted' ? said : mode;
  }
  return mode === 'enabled' && bringsOthersWords(line) ? 'polluted' : mode;
}

/** Also for turns that were taken back: the words may survive in later text. */
function bringsOthersWords({ type, payload }: Line): boolean {
  if (type === lineType.call) return payload['external'] === true;
  const kind = stringAt(payload, 'type') ?? '';
  if (type === lineType.event) return kind.startsWith('mcp_tool_call') || kind.startsWith('web_search');
  if (kind === 'web_search_call' || kind === 'mcp_call' || kind === 'mcp_tool_call') return true;
  // Other programs and our older files do not record it for a call: only tool names tell.
  if (kind !== 'function_call' && kind !== 'custom_tool_call') return false;
  const [name, namespace] = [stringAt(payload, 'name') ?? '', stringAt(payload, 'namespace') ?? ''];
  return [name, namespace].some((each) => each.startsWith('mcp__')) || name === 'call_tool' || namespace === 'web';
}
