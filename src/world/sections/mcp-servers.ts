import {
  mcpInstructionsFragment,
  type McpInstructionsText,
  mcpServersFragment,
  type McpServersText,
} from '../../fragments/sections/mcp-servers.ts';
import { textSection } from './text-section.ts';

/** What MCP servers say of themselves, where their tools are listed. */
export const mcpInstructionsSection = textSection<McpInstructionsText>({
  id: 'capstan.mcp_instructions',
  assumes: 'the tools of the servers that speak',
  kind: mcpInstructionsFragment,
  of: ({ facts: { mcpServers: { instructions } = { instructions: [] } } }) =>
    instructions.length === 0 ? undefined : { instructions },
});

/** How MCP servers and their tools differ from the list of tools. */
export const mcpServersSection = textSection<McpServersText>({
  id: 'capstan.mcp_servers',
  assumes: 'the list of tools, from which it tells differences',
  kind: mcpServersFragment,
  of: ({ facts: { mcpServers: { notes } = { notes: [] } } }) => (notes.length === 0 ? undefined : { notes }),
});
