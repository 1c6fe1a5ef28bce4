import type { ThreadDeleted } from '../../rollout/thread-lifecycle.ts';
import type { Done } from '../engine/thread-operations.ts';
import { wrongUsage } from '../command-words.ts';
import { complain } from '../complain.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

const command: OnThread<Done<ThreadDeleted>> = {
  form: {
    name: 'threads delete',
    summary: 'Deletes a thread for good, with all that was ever taken back from it.',
    forms: ['THREAD [--force]'],
    options: [
      { key: 'force', names: ['--force'], help: 'delete the threads that were forked from it, too' },
      ...threadOptions.filter(({ key }) => key === 'json'),
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

/** The thread that was used last may be another one than the user thinks, and a deleted thread does not come back. */
export async function run(words: readonly string[]): Promise<number> {
  if (!words.includes('--last')) return onThread(command, words);
  return complain(
    wrongUsage(form, 'a deleted thread does not come back. Give its id or its name instead of --last.'),
    2,
  );
}
