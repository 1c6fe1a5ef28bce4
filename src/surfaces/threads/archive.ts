import type { ThreadArchived } from '../../rollout/thread-lifecycle.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

const command: OnThread<Done<ThreadArchived>> = {
  form: {
    name: 'threads archive',
    summary: 'Puts a thread away. It can still be read and forked.',
    forms: ['THREAD', '--last [--all]'],
    options: threadOptions,
  },
  archived: false,
  more: 0,
  run: (engine, id) => engine.archive(id),
  text: ({ id }) => `Thread ${id} is archived.\nTo bring it back: capstan threads unarchive ${id}`,
};

export const { form } = command;

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
