import { defineWithdrawableFragment } from '../../fragments/text/define-fragment.ts';
import { escapeMarkup } from '../../fragments/text/escape-markup.ts';
import { boundedList, dashedLines } from '../../fragments/text/truncate.ts';
import { guidanceSection } from './section.ts';

export const pluginsGuidanceFragment = defineWithdrawableFragment<void>({
  id: 'plugins-guidance',
  purpose: 'What plugins are and when to use them.',
  markers: ['<plugins_instructions>', '</plugins_instructions>'],
  capTokens: 400,
  section: 'plugins_instructions',
  body: () => `
A plugin bundles skills, tool servers and apps under one name.
- Its skills are listed as PLUGIN:SKILL. Its tool servers and apps are not started from it: use only the tools that you are offered.
- When the user names a plugin, or asks for what its parts are made for, use those parts before anything general.
- When a part is missing or fails, say so in a sentence and continue in the best other way.
`,
  withdrawn: '\nThere are no plugins any more; what was said about them no longer holds.\n',
});

export const pluginsSection = guidanceSection({
  assumes: 'apps, which a plugin may bring along',
  kind: pluginsGuidanceFragment,
  of: ({ envelope: { capabilities } }) => capabilities.plugins,
});

export const appsGuidanceFragment = defineWithdrawableFragment<void>({
  id: 'apps-guidance',
  purpose: 'What apps are and how the user names them.',
  markers: ['<apps_instructions>', '</apps_instructions>'],
  capTokens: 400,
  section: 'apps_instructions',
  body: () => `
An app gives access to a service that the user has connected. Its tools come from a tool server and are called like all others.
- The user names an app as [$NAME](app://ID): then use the tools of that app.
- The tools of an app may be absent from the list until they are searched for.
`,
  withdrawn: '\nThere are no apps any more; what was said about them no longer holds.\n',
});

export const appsSection = guidanceSection({
  assumes: 'the permissions that govern what an app may be asked for',
  kind: appsGuidanceFragment,
  of: ({ envelope: { capabilities, modes } }) => capabilities.apps && !modes.leaveOut.includes('apps'),
});

export const recommendedPluginsFragment = defineWithdrawableFragment<{
  readonly plugins: readonly { readonly name: string; readonly id: string }[];
}>({
  id: 'recommended-plugins',
  purpose: 'Plugins that the user could install.',
  role: 'user',
  capTokens: 1500,
  section: 'recommended_plugins',
  body({ plugins }) {
    const entries = plugins.map(({ name, id }) => `${escapeMarkup(name)} (${escapeMarkup(id)})`);
    const lines = dashedLines(boundedList(entries, { count: 50, characters: 5000 }));
    return `\nThese plugins are not installed and can be. Suggest one only where the task would gain by it:\n${lines.join('\n')}\n`;
  },
  withdrawn: '\nNo plugins are recommended any more.\n',
});
