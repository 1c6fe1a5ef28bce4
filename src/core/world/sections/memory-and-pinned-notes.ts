import { contextBudget } from '../../envelope/window.ts';
import { cutText } from '../../fragments/text/cut-and-fence-text.ts';
import { defineReplaceableFragment } from '../../fragments/text/define-fragment.ts';
import { escapeEndMarker, quote } from '../../fragments/text/escape-markup.ts';
import { textSection } from './section.ts';

type MemoryText = { readonly summary: string; readonly folder: string };

export const memoryFragment = defineReplaceableFragment<MemoryText>({
  id: 'memory',
  purpose: 'A summary of notes from earlier threads.',
  markers: ['<memory_summary>', '</memory_summary>'],
  capTokens: 2800,
  section: 'capstan.memory',
  notice: 'This takes the place of the memory given before.',
  body: ({ summary, folder }) => `${guidance(folder)}\n\n${summary}\n`,
  withdrawn: '\nThe memory given before no longer holds; there is none now.\n',
});

const guidance = (folder: string): string =>
  'A model wrote these notes after earlier threads. They can be outdated or wrong: the words of the user and the files ' +
  `count more. More is in the folder ${quote(folder)}: if the task would gain by it, search MEMORY.md there for words of ` +
  'the task, and open what it names. Do not write there.';

export const memorySection = textSection<MemoryText>({
  assumes: 'the tools with which more of it can be read',
  kind: memoryFragment,
  of: ({ facts: { memory }, window }) => {
    if (memory === undefined) return undefined;
    return { ...memory, summary: cutText(memory.summary, contextBudget('memorySummary', window.effective)) };
  },
});

/** The thread limits notes when it accepts them; this leaves space for their frame and for escapes. */
const capTokens = 6000;

export const pinnedNotesFragment = defineReplaceableFragment<{ readonly notes: readonly string[] }>({
  id: 'pinned-notes',
  purpose: 'Notes that the user pinned to the thread; they apply until the user removes them.',
  role: 'user',
  capTokens,
  section: 'capstan.pinned_notes',
  notice: 'These take the place of all pinned notes given before.',
  body({ notes }) {
    const each = notes.map((note) => `<note>\n${escapeEndMarker(note, '</note>')}\n</note>\n`);
    return `I pinned these notes to this conversation. They hold until I take them away.\n\n${each.join('')}`;
  },
  withdrawn: '\nThe pinned notes given before no longer hold; there are none now.\n',
});

/** Notes that the user pinned. No summariser touches them: after a checkpoint they are sent again. */
export const pinnedNotesSection = textSection<{ readonly notes: readonly string[] }>({
  assumes: "the project's instructions, to which the user adds what counts in this thread",
  kind: pinnedNotesFragment,
  of: ({ facts: { pins = [] } }) => (pins.length === 0 ? undefined : { notes: pins.map(({ text }) => text) }),
});
