import type { CommandArguments } from '../commands/command.ts';
import type { archiveCommand } from '../commands/threads-change-commands.ts';
import { operateOnThread } from './thread-operation.ts';

/** `capstan threads archive` */
export function run(given: CommandArguments<typeof archiveCommand>) {
  return operateOnThread(given, {
    perform: (engine, id) => engine.stored.archive(id),
    text: ({ id }) => `Thread ${id} is archived.\nTo bring it back: capstan threads unarchive ${id}`,
  });
}
