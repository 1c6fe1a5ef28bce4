import { defineReplaceable } from '../text/replaceable.ts';
import { quote } from '../text/markup.ts';

/** What is remembered of earlier threads. */
export interface MemoryText {
  readonly summary: string;
  /** Where more of it is. */
  readonly folder: string;
}

export const memoryFragment = defineReplaceable<MemoryText>({
  id: 'memory',
  purpose: 'A summary of notes from earlier threads.',
  role: 'developer',
  markers: ['<memory_summary>', '</memory_summary>'],
  capTokens: 2800,
  section: 'capstan.memory',
  notice: 'This takes the place of the memory given before.',
  body: ({ summary, folder }) => `${guidance(folder)}\n\n${summary}\n`,
  withdrawn: '\nThe memory given before no longer holds; there is none now.\n',
});

function guidance(folder: string): string {
  return (
    'A model wrote these notes after earlier threads. They can be outdated or wrong: the words of the user and the files ' +
    `count more. More is in the folder ${quote(folder)}: if the task would gain by it, search MEMORY.md there for words of ` +
    'the task, and open what it names. Do not write there.'
  );
}
