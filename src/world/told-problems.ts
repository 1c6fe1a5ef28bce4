import { isJsonObject } from '../protocol/json.ts';
import type { Baseline } from './baseline.ts';
import { mcpProblemsId } from './sections/mcp-servers.ts';

/** Which MCP servers do not run, as the model was last told, and why. It stands until a process has seen the server. */
export function toldProblems(baseline: Baseline): Readonly<Record<string, string>> {
  const told = baseline.kind === 'known' ? baseline.state[mcpProblemsId] : undefined;
  if (!isJsonObject(told)) return {};
  return Object.fromEntries(
    Object.entries(told).flatMap(([server, problem]) => (typeof problem === 'string' ? [[server, problem]] : [])),
  );
}
