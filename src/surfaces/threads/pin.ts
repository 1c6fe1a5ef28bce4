import type { CommandArguments } from '../commands/command.ts';
import type { pinCommand } from '../commands/threads-change-commands.ts';
import { operateOnThread } from './thread-operation.ts';

/** `capstan threads pin` */
export function run(given: CommandArguments<typeof pinCommand>) {
  const [note = ''] = given.words;
  return operateOnThread(given, {
    perform: (engine, id) => engine.stored.pin(id, note),
    text: ({ id, pins }) =>
      `Pinned as note ${pins.length} of thread ${id}. The next turn tells it to the model.\nTo take it away: capstan threads unpin ${id} ${pins.length}`,
  });
}
