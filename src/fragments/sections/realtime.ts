import { defineFragment, isBetween, type Markers } from '../text/define.ts';

const markers: Markers = ['<realtime_conversation>', '</realtime_conversation>'];

/** The first line tells both apart, ours and other programs'. What is neither counts as a start: an end can follow it. */
const ended = /^\s*<realtime_conversation>\s*Realtime conversation(?:: off| ended)\b/i;

export const realtimeStartFragment = defineFragment<{ readonly instructions?: string }>({
  id: 'realtime-start',
  purpose: 'The user speaks now, through an intermediary.',
  role: 'developer',
  markers,
  capTokens: 1000,
  section: 'realtime',
  matches: (text) => isBetween(text, markers) && !ended.test(text),
  body: ({ instructions = spoken }) => `\nRealtime conversation: on.\n\n${instructions}\n`,
});

export const realtimeEndFragment = defineFragment<{ readonly instructions?: string }>({
  id: 'realtime-end',
  purpose: 'The user types again.',
  role: 'developer',
  markers,
  capTokens: 1000,
  section: 'realtime',
  matches: (text) => isBetween(text, markers) && ended.test(text),
  body: ({ instructions = typed }) => `\nRealtime conversation: off.\n\n${instructions}\n`,
});

const spoken =
  'An intermediary talks with the user and passes on what was said. Expect spoken language: words may be misheard and punctuation may be missing. Answer in few words that the intermediary can say aloud.';

const typed = 'What follows is typed by the user. The rules for spoken language no longer hold.';
