import type { CommandArguments } from '../commands/command.ts';
import type { unarchiveCommand } from '../commands/threads-change-commands.ts';
import { operateOnThread } from './thread-operation.ts';

/** `capstan threads unarchive` */
export function run(given: CommandArguments<typeof unarchiveCommand>) {
  return operateOnThread(given, {
    archived: true,
    perform: (engine, id) => engine.stored.unarchive(id),
    text: ({ id }) => `Thread ${id} is active again.`,
  });
}
