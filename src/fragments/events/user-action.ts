import { defineFragment } from '../text/define.ts';
import { escapeText } from '../text/markup.ts';

export interface UserActionText {
  /** What the user did. */
  readonly action: 'review';
  readonly context: string;
  readonly results: string;
}

/** What the user did beside the conversation, in the form that other programs write. */
export const userActionFragment = defineFragment<UserActionText>({
  id: 'user-action',
  purpose: 'Something that the user started beside the conversation, such as a review of code, and what came of it.',
  role: 'user',
  markers: ['<user_action>', '</user_action>'],
  capTokens: 5000,
  separate: true,
  body: ({ action, context, results }) =>
    `\n  <context>${escapeText(context)}</context>\n  <action>${action}</action>\n  <results>\n${escapeText(results)}\n  </results>\n`,
});

/** What the thread reads of a review that came to its end. */
export const reviewContext =
  'The user started a review of code. What follows is what the reviewer found. The user may ask you to work on some of it.';

/** And of one that did not. */
export const reviewInterrupted = {
  context: 'The user started a review of code and interrupted it.',
  results: 'None: it was interrupted. To review again, the user starts another one.',
};

export function reviewBroke(why: string): typeof reviewInterrupted {
  return {
    context: 'The user started a review of code, and it failed.',
    results: `None: ${why}`,
  };
}
