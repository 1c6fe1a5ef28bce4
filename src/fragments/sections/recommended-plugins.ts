import { boundedList, dashedLines } from '../text/bounded-list.ts';
import { defineFamily } from '../text/define.ts';
import { escapeMarkup } from '../text/markup.ts';

export const recommendedPluginsFragment = defineFamily<{
  readonly plugins: readonly { readonly name: string; readonly id: string }[];
}>({
  id: 'recommended-plugins',
  purpose: 'Plugins that the user could install.',
  role: 'user',
  markers: ['<recommended_plugins>', '</recommended_plugins>'],
  capTokens: 1500,
  section: 'recommended_plugins',
  body({ plugins }) {
    const entries = plugins.map(({ name, id }) => `${escapeMarkup(name)} (${escapeMarkup(id)})`);
    const lines = dashedLines(boundedList(entries, { count: 50, characters: 5000 }));
    return `\nThese plugins are not installed and can be. Suggest one only where the task would gain by it:\n${lines.join('\n')}\n`;
  },
  withdrawn: '\nNo plugins are recommended any more.\n',
});
