import { wrongUsage, type CommandForm } from '../command-words.ts';
import type { Done, ThreadRenamed } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

export const form: CommandForm = {
  name: 'threads name',
  summary: 'Gives a thread a name, by which it can be resumed.',
  forms: ['THREAD NAME', '--last [--all] NAME'],
  options: threadOptions,
  notes: 'An empty name takes the name away. Names need not be unique; of several threads the newest is meant.',
};

const command: OnThread<Done<ThreadRenamed>> = {
  form,
  archived: true,
  more: 1,
  async run(engine, id, { positional: [name] }) {
    return name === undefined ? wrongUsage(form, 'what is it to be called?') : engine.rename(id, name);
  },
  text: ({ id, name }) =>
    name === '' ? `Thread ${id} has no name now.` : `Thread ${id} is called ${JSON.stringify(name)}.`,
};

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
