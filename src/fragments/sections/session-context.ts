import { defineReplaceable } from '../text/replaceable.ts';

export const sessionContextFragment = defineReplaceable<{ readonly texts: readonly string[] }>({
  id: 'session-context',
  purpose: 'Output of the hooks that ran when the thread was opened.',
  role: 'developer',
  markers: ['<session_context>', '</session_context>'],
  capTokens: 5000,
  section: 'capstan.session_context',
  notice: 'This takes the place of the session context given before.',
  body: ({ texts }) => `${texts.join('\n\n')}\n`,
  withdrawn: '\nThe session context given before no longer holds; there is none now.\n',
});
