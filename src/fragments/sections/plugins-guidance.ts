import { defineFamily } from '../text/define.ts';

export const pluginsGuidanceFragment = defineFamily<void>({
  id: 'plugins-guidance',
  purpose: 'What plugins are and when to use them.',
  role: 'developer',
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
