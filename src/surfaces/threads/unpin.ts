import type { PinsChanged } from '../../thread/pinned-notes.ts';
import { type CommandForm, wrongUsage } from '../command-words.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

export const form: CommandForm = {
  name: 'threads unpin',
  summary: 'Takes a pinned note away. The next turn tells the model that it no longer holds.',
  forms: ['THREAD NUMBER|ID', '--last [--all] NUMBER|ID'],
  options: threadOptions,
  notes: '`capstan threads pins` shows the numbers and the ids.',
};

const command: OnThread<Done<PinsChanged>> = {
  form,
  archived: false,
  more: 1,
  async run(engine, id, { positional: [which] }) {
    return which === undefined ? wrongUsage(form, 'which note? Give its number or its id.') : engine.unpin(id, which);
  },
  text: ({ id, pin, pins }) => {
    const rest = pins.length === 0 ? 'It has none now.' : `It has ${pins.length} more; they are numbered anew.`;
    return `Thread ${id} no longer has this note: ${JSON.stringify(pin.text)}\n${rest}`;
  },
};

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
