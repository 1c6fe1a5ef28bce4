import type { ServerTool } from '../../offer/server-tool.ts';
import type { ToolParts } from '../tool-parts.ts';
import { codexTools } from './codex-tools.ts';
import { v1Tools } from './v1-tools.ts';

/** Other names for the same work: always callable, and listed only where a host asks for them. */
export function compatTools(parts: ToolParts): readonly ServerTool[] {
  return [...v1Tools(parts), ...codexTools(parts)];
}
