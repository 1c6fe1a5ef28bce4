import type { McpNews } from '../../envelope/facts.ts';
import { defineReplaceable } from '../text/replaceable.ts';
import { fenceFor } from '../text/fence.ts';
import { escapeMarkup, escapeText } from '../text/markup.ts';

export interface McpServersText {
  readonly notes: McpNews['notes'];
}

/** Servers that do not run, and what differs from the list of tools, which stays as it is until history is rewritten. */
export const mcpServersFragment = defineReplaceable<McpServersText>({
  id: 'mcp-servers',
  purpose: 'MCP servers that did not start, and tools of them that changed, are gone or cannot be used.',
  role: 'developer',
  markers: ['<mcp_servers>', '</mcp_servers>'],
  capTokens: 2000,
  section: 'capstan.mcp_servers',
  notice: 'This takes the place of the notes on MCP servers given before.',
  body: ({ notes }) => `${notes.flatMap(noteLines).join('\n')}\n`,
  withdrawn:
    '\nThe notes on MCP servers given before no longer hold: no server is known to be down, and your list of tools is right.\n',
});

function noteLines({ server, problem, changed, gone, unasked }: McpNews['notes'][number]): readonly string[] {
  const of = `of the MCP server ${escapeMarkup(server)}`;
  const line = (text: string, words: string): readonly string[] => (text === '' ? [] : [`- ${words}`]);
  return [
    ...line(
      problem,
      `${escapeMarkup(problem)} Its tools fail until it runs. Capstan tries to start it with every turn, and a call shows whether it runs.`,
    ),
    ...line(
      changed,
      `Tools ${of} changed. Your list still describes them as they were; call them with their new parameters: ${escapeMarkup(changed)}. tool_search shows the rest.`,
    ),
    ...line(gone, `Tools ${of} are gone, though your list still has them: ${escapeMarkup(gone)}.`),
    ...line(
      unasked,
      `Tools ${of} that are not offered, because each call needs an approval and the user cannot be asked: ${escapeMarkup(unasked)}.`,
    ),
  ];
}

export interface McpInstructionsText {
  readonly instructions: McpNews['instructions'];
}

export const mcpInstructionsFragment = defineReplaceable<McpInstructionsText>({
  id: 'mcp-instructions',
  purpose: 'What MCP servers whose tools are listed say about their use.',
  role: 'developer',
  markers: ['<mcp_instructions>', '</mcp_instructions>'],
  capTokens: 2500,
  section: 'capstan.mcp_instructions',
  notice: 'This takes the place of the instructions of MCP servers given before.',
  body({ instructions }) {
    const texts = instructions.map(({ text }) => escapeText(text));
    const fence = fenceFor('=', texts);
    const parts = instructions.map(({ server }, at) => `${fence} ${escapeMarkup(server)}\n${texts[at] ?? ''}`);
    return `What MCP servers say about the use of their tools. The user and the developer count more.\n${parts.join('\n')}\n`;
  },
  withdrawn: '\nThe instructions of MCP servers given before no longer hold; there are none now.\n',
});
