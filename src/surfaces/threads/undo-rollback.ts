import type { RollbackUndone } from '../../thread/rollback-range.ts';
import type { Done } from '../engine/thread-operations.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';
import { turnsWord } from './turns-word.ts';

const command: OnThread<Done<RollbackUndone>> = {
  form: {
    name: 'threads undo-rollback',
    summary: 'Brings back the turns that the newest rollback of a thread took away.',
    forms: ['THREAD [--force]', '--last [--all] [--force]'],
    options: [
      { key: 'force', names: ['--force'], help: 'take back turns that began since, in exchange' },
      ...threadOptions,
    ],
    notes: [
      'After several rollbacks in a row, each undo brings back what one of them took, the newest first: up to ten. When no',
      'rollback is left, or turns were given in exchange, the next undo takes the last undo back.',
      'After rollbacks with --both, bring the files back after each undo: `capstan threads restore --undo`.',
    ].join('\n'),
  },
  archived: false,
  more: 0,
  run: (engine, id, { flags }) => engine.undoRollback(id, { force: flags.has('force') }),
  text({ id, turns, replaced, next }) {
    // An undo that was undone.
    if (turns.length === 0 && replaced.length > 0) return `${turnsWord(replaced)} of thread ${id} taken back again.`;
    // A rollback to the middle of a turn may have taken no whole one.
    const back = turns.length === 0 ? 'What was taken back' : turnsWord(turns);
    const instead = replaced.length === 0 ? '' : `, in exchange for ${replaced.length}`;
    const more =
      next === undefined ? '' : `\nFor the turns of the rollback before: capstan threads undo-rollback ${id}`;
    return `${back} of thread ${id} brought back${instead}.${more}`;
  },
};

export const { form } = command;

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
