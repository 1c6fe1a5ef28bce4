import { defineFamily } from '../text/define.ts';

export const developerInstructionsFragment = defineFamily<{ readonly text: string; readonly replaces: boolean }>({
  id: 'developer-instructions',
  purpose: 'Instructions that the configuration or the client gives for a thread.',
  role: 'developer',
  markers: ['<developer_instructions>', '</developer_instructions>'],
  capTokens: 10_000,
  section: 'capstan.developer_instructions',
  body({ text, replaces }) {
    const notice = replaces ? 'These take the place of the developer instructions given before.\n\n' : '';
    return `\n${notice}${text}\n`;
  },
  withdrawn: '\nThe developer instructions given before no longer hold; there are none now.\n',
});
