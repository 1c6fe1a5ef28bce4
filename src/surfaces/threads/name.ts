import type { CommandArguments } from '../commands/command.ts';
import type { nameCommand } from '../commands/threads-change-commands.ts';
import { operateOnThread } from './thread-operation.ts';

/** `capstan threads name` */
export function run(given: CommandArguments<typeof nameCommand>) {
  const [wanted = ''] = given.words;
  return operateOnThread(given, {
    archived: true,
    perform: (engine, id) => engine.stored.rename(id, wanted),
    text: ({ id, name }) =>
      name === '' ? `Thread ${id} has no name now.` : `Thread ${id} is called ${JSON.stringify(name)}.`,
  });
}
