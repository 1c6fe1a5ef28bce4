import { neutraliseEnd } from '../text/markup.ts';
import { defineReplaceable } from '../text/replaceable.ts';

/** The thread bounds notes when it takes them in; this leaves space for their frame and for escapes. */
const capTokens = 6000;

export const pinnedNotesFragment = defineReplaceable<{ readonly notes: readonly string[] }>({
  id: 'pinned-notes',
  purpose: 'Notes that the user pinned to the thread; they apply until the user removes them.',
  role: 'user',
  markers: ['<pinned_notes>', '</pinned_notes>'],
  capTokens,
  section: 'capstan.pinned_notes',
  notice: 'These take the place of all pinned notes given before.',
  body({ notes }) {
    const each = notes.map((note) => `<note>\n${neutraliseEnd(note, '</note>')}\n</note>\n`);
    return `I pinned these notes to this conversation. They hold until I take them away.\n\n${each.join('')}`;
  },
  withdrawn: '\nThe pinned notes given before no longer hold; there are none now.\n',
});
