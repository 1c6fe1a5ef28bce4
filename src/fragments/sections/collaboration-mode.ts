import { defineFragment, defineWithdrawal } from '../text/define.ts';
import { withoutLineBreaks } from '../text/markup.ts';

export interface CollaborationModeText {
  readonly mode: string;
  readonly instructions: string;
}

export const collaborationModeFragment = defineFragment<CollaborationModeText>({
  id: 'collaboration-mode',
  purpose: 'How to work together in the mode the user chose.',
  role: 'developer',
  markers: ['<collaboration_mode>', '</collaboration_mode>'],
  capTokens: 5000,
  section: 'collaboration_mode',
  body: ({ mode, instructions }) => `\nMode: ${withoutLineBreaks(mode)}\n\n${instructions}\n`,
});

export const collaborationModeWithdrawnFragment = defineWithdrawal(collaborationModeFragment, {
  body: '\nThe mode described earlier has ended, and what it asked for no longer holds.\n',
});
