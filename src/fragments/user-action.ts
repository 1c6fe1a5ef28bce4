import { defineFragment } from './define.ts';
import { neutraliseEnd } from './markup.ts';
import { truncateMiddle } from './truncate.ts';

/** How a review that the user asked for came to its end. */
export type UserActionText =
  | { readonly kind: 'review-finished'; readonly results: string }
  | { readonly kind: 'review-interrupted' };

export const userActionFragment = defineFragment<UserActionText>({
  id: 'user-action',
  purpose: 'Something that the user did beside the talk: a review, with its results.',
  role: 'user',
  markers: ['<user_action>', '</user_action>'],
  capTokens: 10_000,
  separate: true,
  body(action) {
    const [context, results] = told(action);
    return `\n  <context>${context}</context>\n  <action>review</action>\n  <results>\n${results}\n  </results>\n`;
  },
});

function told(action: UserActionText): readonly [context: string, results: string] {
  if (action.kind === 'review-interrupted') {
    return ['The user began a review of the code and stopped it before it was done.', 'None.'];
  }
  const results = truncateMiddle(neutraliseEnd(action.results, '</results>'), { mode: 'tokens', limit: 9800 });
  return ['The user asked for a review of the code. What the user says next may be about its results.', results];
}
