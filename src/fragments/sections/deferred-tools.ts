import { boundedList } from '../text/bounded-list.ts';
import { defineFamily } from '../text/define.ts';
import { escapeMarkup } from '../text/markup.ts';

/** A group of tools that are found by searching and are not in the list. */
export interface ToolNamespace {
  readonly name: string;
  readonly description: string;
}

export type DeferredToolsText =
  | { readonly kind: 'full'; readonly namespaces: readonly ToolNamespace[] }
  | {
      readonly kind: 'change';
      /** New, or described anew. */
      readonly added: readonly ToolNamespace[];
      readonly removed: readonly string[];
    };

export const deferredToolsFragment = defineFamily<DeferredToolsText>({
  id: 'deferred-tools',
  purpose: 'Which groups of tools can be searched for, and how that changed.',
  role: 'developer',
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
  const { kept, left } = boundedList(entries, { count: 100, characters });
  return [title, ...kept, ...(left === 0 ? [] : [`... ${left} more namespaces are not listed.`])];
}

function described({ name, description }: ToolNamespace): string {
  const characters = [...(description.split(/\r?\n/, 1)[0] ?? '')];
  const line = characters.length > 250 ? `${characters.slice(0, 249).join('')}…` : characters.join('');
  return `${named(name)}: ${escapeMarkup(line)}`;
}

function named(name: string): string {
  return `- ${escapeMarkup(name)}`;
}
