import { defineReplaceable } from '../text/replaceable.ts';

/** The loader refuses a text that does not fit: rules that are cut are other rules. */
export const managedInstructionsFragment = defineReplaceable<{ readonly text: string }>({
  id: 'managed-instructions',
  purpose: 'Instructions from the administrator of this machine.',
  role: 'developer',
  markers: ['<managed_developer_instructions>', '</managed_developer_instructions>'],
  capTokens: 10_000,
  separate: true,
  section: 'managed_developer_instructions',
  notice: 'These take the place of the managed instructions given before.',
  body: ({ text }) => `${text}\n`,
  withdrawn: '\nThe managed instructions given before no longer hold; there are none now.\n',
});
