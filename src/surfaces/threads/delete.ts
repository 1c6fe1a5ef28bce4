import type { CommandArguments } from '../commands/command.ts';
import type { deleteCommand } from '../commands/threads-change-commands.ts';
import { operateOnThread } from './thread-operation.ts';

/** `capstan threads delete`. It cannot be undone: a name that several threads have means none of them. */
export function run(given: CommandArguments<typeof deleteCommand>) {
  return operateOnThread(given, {
    archived: true,
    unique: true,
    perform: (engine, id) => engine.stored.delete(id, { force: given.options.force }),
    text({ ids: [id, ...forks] }) {
      const also = forks.length === 0 ? '' : ` So are its forks: ${forks.join(', ')}.`;
      return `Thread ${id} is deleted.${also}`;
    },
  });
}
