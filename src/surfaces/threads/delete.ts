import type { ThreadDeleted } from '../../rollout/thread-lifecycle.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

const command: OnThread<Done<ThreadDeleted>> = {
  form: {
    name: 'threads delete',
    summary: 'Deletes a thread for good, with all that was ever taken back from it.',
    forms: ['THREAD [--force]', '--last [--all] [--force]'],
    options: [
      { key: 'force', names: ['--force'], help: 'delete the threads that were forked from it, too' },
      ...threadOptions,
    ],
    notes: 'A thread that others were forked from is not deleted without --force: they would lose their beginning.',
  },
  archived: true,
  unique: true,
  more: 0,
  run: (engine, id, { flags }) => engine.delete(id, { force: flags.has('force') }),
  text({ ids: [id, ...forks] }) {
    const also = forks.length === 0 ? '' : ` So are its forks: ${forks.join(', ')}.`;
    return `Thread ${id} is deleted.${also}`;
  },
};

export const { form } = command;

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
