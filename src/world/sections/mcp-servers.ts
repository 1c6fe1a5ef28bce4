import {
  mcpInstructionsFragment,
  type McpInstructionsText,
  mcpServersFragment,
  type McpServersText,
} from '../../fragments/sections/mcp-servers.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { textSection } from './text-section.ts';

/** What MCP servers say of themselves, where their tools are listed. */
export const mcpInstructionsSection = textSection<McpInstructionsText>({
  id: 'capstan.mcp_instructions',
  assumes: 'the tools of the servers that speak',
  kind: mcpInstructionsFragment,
  of: ({ facts: { mcpServers: { instructions } = { instructions: [] } } }) =>
    instructions.length === 0 ? undefined : { instructions },
});

/** Under which id the baseline keeps which servers do not run, and why. */
export const mcpProblemsId = 'capstan.mcp_problems';

/** How MCP servers and their tools differ from the list of tools. */
export const mcpServersSection = textSection<McpServersText>({
  id: 'capstan.mcp_servers',
  assumes: 'the list of tools, from which it tells differences',
  kind: mcpServersFragment,
  beside: {
    id: mcpProblemsId,
    stored: ({ notes }): JsonObject =>
      Object.fromEntries(notes.flatMap(({ server, problem }) => (problem === '' ? [] : [[server, problem]]))),
  },
  of: ({ facts: { mcpServers: { notes } = { notes: [] } } }) => (notes.length === 0 ? undefined : { notes }),
});
