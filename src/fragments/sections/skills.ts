import { defineFamily } from '../text/define.ts';

export const skillsCatalogueFragment = defineFamily<{ readonly body: string }>({
  id: 'skills-catalogue',
  purpose: 'The available skills, and where to read them.',
  role: 'developer',
  markers: ['<skills_instructions>', '</skills_instructions>'],
  capTokens: 10_000,
  section: 'skills',
  body: ({ body }) => `\n${body}\n`,
  withdrawn: '\nThe skills listed before are no longer offered; there are none now.\n',
  withdrawnId: 'skills-withdrawn',
});
