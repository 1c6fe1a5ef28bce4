import { defineFamily } from '../text/define.ts';

export const sessionContextFragment = defineFamily<{ readonly texts: readonly string[]; readonly replaces: boolean }>({
  id: 'session-context',
  purpose: 'Output of the hooks that ran when the thread was opened.',
  role: 'developer',
  markers: ['<session_context>', '</session_context>'],
  capTokens: 5000,
  section: 'capstan.session_context',
  body({ texts, replaces }) {
    const notice = replaces ? 'This takes the place of the session context given before.\n\n' : '';
    return `\n${notice}${texts.join('\n\n')}\n`;
  },
  withdrawn: '\nThe session context given before no longer holds; there is none now.\n',
});
