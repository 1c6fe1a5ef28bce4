import type { PinsChanged } from '../../thread/pinned-notes.ts';
import { type CommandForm, wrongUsage } from '../command-words.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

export const form: CommandForm = {
  name: 'threads pin',
  summary: 'Pins a note to a thread: the model is told it as it is, and again after every checkpoint.',
  forms: ['THREAD "NOTE"', '--last [--all] "NOTE"'],
  options: threadOptions,
  notes: 'A note may have about 2,000 tokens; a thread may have 20 notes, and 4,000 tokens of them in all.',
};

const command: OnThread<Done<PinsChanged>> = {
  form,
  archived: false,
  more: 1,
  async run(engine, id, { positional: [note] }) {
    return note === undefined
      ? wrongUsage(form, 'what is to be pinned? Put the note in quotes.')
      : engine.pin(id, note);
  },
  text: ({ id, pins }) =>
    `Pinned as note ${pins.length} of thread ${id}. The next turn tells it to the model.\nTo take it away: capstan threads unpin ${id} ${pins.length}`,
};

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
