import { defineFragment, defineWithdrawal } from '../text/define.ts';

export interface DeveloperInstructionsText {
  readonly text: string;
  /** Others were given before; these take their place. */
  readonly replaces: boolean;
}

export const developerInstructionsFragment = defineFragment<DeveloperInstructionsText>({
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
});

export const developerInstructionsWithdrawnFragment = defineWithdrawal(developerInstructionsFragment, {
  body: '\nThe developer instructions given before no longer hold; there are none now.\n',
});
