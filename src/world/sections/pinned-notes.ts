import { pinnedNotesFragment } from '../../fragments/sections/pinned-notes.ts';
import { textSection } from './text-section.ts';

/** What the user pinned. No summariser touches it: a checkpoint clears the baseline, and it is sent again. */
export const pinnedNotesSection = textSection<{ readonly notes: readonly string[] }>({
  id: 'capstan.pinned_notes',
  assumes: "the project's instructions, to which the user adds what counts in this thread",
  kind: pinnedNotesFragment,
  of: ({ facts: { pins = [] } }) => (pins.length === 0 ? undefined : { notes: pins.map(({ text }) => text) }),
});
