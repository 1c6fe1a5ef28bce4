import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import type { McpNews } from '../../envelope/facts.ts';
import { fenceFor } from '../../fragments/text/cut-and-fence-text.ts';
import {
  defineWithdrawableFragment,
  defineReplaceableFragment,
  renderFragment,
} from '../../fragments/text/define-fragment.ts';
import { escapeMarkup, escapeText } from '../../fragments/text/escape-markup.ts';
import { boundedList, withMissingCount } from '../../fragments/text/truncate.ts';
import { type Section, textSection, unknownState } from './section.ts';

/** A group of tools that are not listed and must be searched for. */
type ToolNamespace = { readonly name: string; readonly description: string };

export type DeferredToolsText =
  | { readonly kind: 'full'; readonly namespaces: readonly ToolNamespace[] }
  | {
      readonly kind: 'change';
      /** New, or with a new description. */
      readonly added: readonly ToolNamespace[];
      readonly removed: readonly string[];
    };

export const deferredToolsFragment = defineWithdrawableFragment<DeferredToolsText>({
  id: 'deferred-tools',
  purpose: 'Which groups of tools can be searched for, and how that changed.',
  markers: ['<tools>', '</tools>'],
  capTokens: 1024,
  section: 'tools',
  body(told) {
    const lines =
      told.kind === 'full'
        ? group('Deferred tool namespaces:', told.namespaces.map(described), 3800)
        : [
            ...group('Added deferred tool namespaces:', told.added.map(described), 1900),
            ...group('Removed deferred tool namespaces:', told.removed.map(named), 1800),
          ];
    return `\n${lines.join('\n')}\n`;
  },
  withdrawn: '\nNo deferred tool namespaces remain.\n',
});

function group(title: string, entries: readonly string[], characters: number): readonly string[] {
  if (entries.length === 0) return [];
  const list = boundedList(entries, { count: 100, characters });
  return [title, ...withMissingCount(list, `... ${list.left} more namespaces are not listed.`)];
}

function described({ name, description }: ToolNamespace): string {
  const characters = [...(description.split(/\r?\n/, 1)[0] ?? '')];
  const line = characters.length > 250 ? `${characters.slice(0, 249).join('')}…` : characters.join('');
  return `${named(name)}: ${escapeMarkup(line)}`;
}

const named = (name: string): string => `- ${escapeMarkup(name)}`;
type StoredTools = JsonObject & { readonly [namespace: string]: string };

/** Groups of searchable tools. They come and go while a thread runs. */
export const deferredToolsSection: Section<readonly ToolNamespace[], StoredTools> = {
  id: 'tools',
  assumes: 'plugins, which may bring tools along',
  family: deferredToolsFragment,
  of: ({ facts: { deferredTools = [] } }) => (deferredTools.length === 0 ? undefined : deferredTools),
  stored: (fact) => Object.fromEntries(fact.map(({ name, description }) => [name, description])),
  read(stored) {
    if (!isJsonObject(stored) || !Object.values(stored).every((value) => typeof value === 'string')) return undefined;
    return stored as StoredTools;
  },
  full: (now) => [renderFragment(deferredToolsFragment, { kind: 'full', namespaces: now })],
  change(before, now = []) {
    // The withdrawn form says that nothing is in force, so it is not sent twice in a row.
    if (now.length === 0) return isNone(before) ? [] : [renderFragment(deferredToolsFragment.withdrawn, undefined)];
    if (before === unknownState) return [renderFragment(deferredToolsFragment, { kind: 'full', namespaces: now })];
    const added = now.filter(({ name, description }) => before[name] !== description);
    const removed = Object.keys(before).filter((name) => now.every((each) => each.name !== name));
    if (added.length === 0 && removed.length === 0) return [];
    return [renderFragment(deferredToolsFragment, { kind: 'change', added, removed })];
  },
};

const isNone = (before: StoredTools | typeof unknownState): boolean =>
  before !== unknownState && Object.keys(before).length === 0;
type McpServersText = { readonly notes: McpNews['notes'] };

/** Servers that do not run, and differences from the tool list, which stays unchanged until history is rewritten. */
export const mcpServersFragment = defineReplaceableFragment<McpServersText>({
  id: 'mcp-servers',
  purpose: 'MCP servers that did not start, and tools of them that changed, are gone or cannot be used.',
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

type McpInstructionsText = { readonly instructions: McpNews['instructions'] };

export const mcpInstructionsFragment = defineReplaceableFragment<McpInstructionsText>({
  id: 'mcp-instructions',
  purpose: 'What MCP servers whose tools are listed say about their use.',
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

/** MCP servers' own descriptions, if their tools are listed. */
export const mcpInstructionsSection = textSection<McpInstructionsText>({
  assumes: 'the tools of the servers that speak',
  kind: mcpInstructionsFragment,
  of: ({ facts: { mcpServers: { instructions } = { instructions: [] } } }) =>
    instructions.length === 0 ? undefined : { instructions },
});

export const mcpProblemsId = 'capstan.mcp_problems';

export const mcpServersSection = textSection<McpServersText>({
  assumes: 'the list of tools, from which it tells differences',
  kind: mcpServersFragment,
  beside: {
    id: mcpProblemsId,
    stored: ({ notes }): JsonObject =>
      Object.fromEntries(notes.flatMap(({ server, problem }) => (problem === '' ? [] : [[server, problem]]))),
  },
  of: ({ facts: { mcpServers: { notes } = { notes: [] } } }) => (notes.length === 0 ? undefined : { notes }),
});
