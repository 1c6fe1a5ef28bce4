import type { JsonObject } from '../../protocol/json.ts';
import { boundedList } from '../text/bounded-list.ts';
import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

/** The parts of a plugin that the user named. */
export interface PluginHintText extends JsonObject {
  readonly name: string;
  /** What the names of its skills begin with. Absent when it has none. */
  readonly skillPrefix?: string;
  readonly apps: readonly string[];
  readonly servers: readonly string[];
}

export const pluginHintFragment = defineFragment<PluginHintText>({
  id: 'plugin-hint',
  purpose: 'The parts of a plugin that the user named.',
  role: 'developer',
  markers: ['<plugin_hint>', '</plugin_hint>'],
  capTokens: 700,
  body({ name, skillPrefix, apps, servers }) {
    const lines = [
      `The user named the plugin ${quote(name)}. Prefer what belongs to it:`,
      ...(skillPrefix === undefined ? [] : [`- skills whose names begin with ${quote(skillPrefix)}`]),
      ...names('apps', apps),
      ...names('tool servers', servers),
    ];
    return `\n${lines.join('\n')}\n`;
  },
});

function names(title: string, entries: readonly string[]): readonly string[] {
  if (entries.length === 0) return [];
  const { kept, left } = boundedList(entries.map(quote), { count: 50, characters: 1000 });
  return [`- ${title}: ${[...kept, ...(left === 0 ? [] : [`… and ${left} more`])].join(', ')}`];
}
