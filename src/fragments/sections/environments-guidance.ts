import { defineFamily } from '../text/define.ts';

export const environmentsGuidanceFragment = defineFamily<void>({
  id: 'environments-guidance',
  purpose: 'How to work with several environments.',
  role: 'developer',
  markers: ['<environments_instructions>', '</environments_instructions>'],
  capTokens: 400,
  section: 'environments_instructions',
  body: () => `
An environment is a machine or container with a folder of its own in which commands run. Name the one that a command is meant for; without a name the primary one is used.
- An environment whose status is "starting" cannot be used yet. Wait for it only when the task needs it.
- One that is "unavailable" is gone: do not use it.
`,
  withdrawn: '\nThere is only one environment now; what was said about choosing one no longer holds.\n',
});
