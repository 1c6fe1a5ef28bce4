import type { ThreadArchived } from '../../rollout/thread-lifecycle.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

const command: OnThread<Done<ThreadArchived>> = {
  form: {
    name: 'threads unarchive',
    summary: 'Brings an archived thread back.',
    forms: ['THREAD', '--last [--all]'],
    options: threadOptions,
  },
  archived: true,
  more: 0,
  run: (engine, id) => engine.unarchive(id),
  text: ({ id }) => `Thread ${id} is active again.`,
};

export const { form } = command;

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
