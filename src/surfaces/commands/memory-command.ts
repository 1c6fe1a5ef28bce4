import { type Command, flag } from './command.ts';

export const memoryCommand = {
  name: 'memory',
  does: 'show and clear what is remembered of earlier threads',
  summary: 'Shows what is remembered of earlier threads, and what it cost, or removes all of it.',
  forms: [
    ['show [options]', 'the summary that every thread reads, and the notes behind it'],
    ['clear', 'remove the files and the notes'],
  ],
  examples: [['capstan memory show', 'What the next thread will read']],
  variants: { show: [], clear: [] },
  options: {
    json: flag('--json', 'with show: print one JSON object', { only: ['show'] }),
  },
  notes: 'Notes are written only with `features.memories = true`.',
} as const satisfies Command;
