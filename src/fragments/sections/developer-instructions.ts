import { defineReplaceable } from '../text/replaceable.ts';

export const developerInstructionsFragment = defineReplaceable<{ readonly text: string }>({
  id: 'developer-instructions',
  purpose: 'Instructions that the configuration or the client gives for a thread.',
  role: 'developer',
  markers: ['<developer_instructions>', '</developer_instructions>'],
  capTokens: 10_000,
  section: 'capstan.developer_instructions',
  notice: 'These take the place of the developer instructions given before.',
  body: ({ text }) => `${text}\n`,
  withdrawn: '\nThe developer instructions given before no longer hold; there are none now.\n',
});
