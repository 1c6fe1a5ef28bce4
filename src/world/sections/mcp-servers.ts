import {
  mcpInstructionsFragment,
  type McpInstructionsText,
  mcpServersFragment,
  type McpServersText,
} from '../../fragments/sections/mcp-servers.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Baseline } from '../baseline.ts';
import { textSection } from './text-section.ts';

/** What MCP servers say of themselves, where their tools are listed. */
export const mcpInstructionsSection = textSection<McpInstructionsText>({
  id: 'capstan.mcp_instructions',
  assumes: 'the tools of the servers that speak',
  kind: mcpInstructionsFragment,
  of: ({ facts: { mcpServers: { instructions } = { instructions: [] } } }) =>
    instructions.length === 0 ? undefined : { instructions },
});

const problemsId = 'capstan.mcp_problems';

/** How MCP servers and their tools differ from the list of tools. */
export const mcpServersSection = textSection<McpServersText>({
  id: 'capstan.mcp_servers',
  assumes: 'the list of tools, from which it tells differences',
  kind: mcpServersFragment,
  beside: {
    id: problemsId,
    stored: ({ notes }): JsonObject =>
      Object.fromEntries(notes.flatMap(({ server, problem }) => (problem === '' ? [] : [[server, problem]]))),
  },
  of: ({ facts: { mcpServers: { notes } = { notes: [] } } }) => (notes.length === 0 ? undefined : { notes }),
});

/** Which servers do not run, as the model was last told, and why. It stands until a process has seen the server. */
export function toldProblems(baseline: Baseline): Readonly<Record<string, string>> {
  const told = baseline.kind === 'known' ? baseline.state[problemsId] : undefined;
  if (!isJsonObject(told)) return {};
  return Object.fromEntries(
    Object.entries(told).flatMap(([server, problem]) => (typeof problem === 'string' ? [[server, problem]] : [])),
  );
}
