import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { Baseline, ReportedMcpProblems } from './tell-world.ts';
import { mcpProblemsId } from './sections/deferred-tools-and-mcp-servers.ts';

/** MCP servers that do not run, and why, as last sent to the model. Valid until a process has seen the server. */
export const mcpProblemsInBaseline = (baseline: Baseline): ReportedMcpProblems =>
  baseline.kind === 'known' ? readMcpProblems(baseline.state[mcpProblemsId]) : (baseline.problems ?? {});

export function readMcpProblems(told: Json | undefined): ReportedMcpProblems {
  if (!isJsonObject(told)) return {};
  return Object.fromEntries(
    Object.entries(told).flatMap(([server, problem]) => (typeof problem === 'string' ? [[server, problem]] : [])),
  );
}
