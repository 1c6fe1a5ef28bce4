import type { CommandArguments } from '../commands/command.ts';
import type { undoRollbackCommand } from '../commands/threads-change-commands.ts';
import { operateOnThread } from './thread-operation.ts';
import { turnsWord } from './turns-word.ts';

/** `capstan threads undo-rollback` */
export function run(given: CommandArguments<typeof undoRollbackCommand>) {
  return operateOnThread(given, {
    perform: (engine, id) => engine.stored.undoRollback(id, { force: given.options.force }),
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
  });
}
