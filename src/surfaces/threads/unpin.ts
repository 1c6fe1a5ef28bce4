import type { CommandArguments } from '../commands/command.ts';
import type { unpinCommand } from '../commands/threads-change-commands.ts';
import { operateOnThread } from './thread-operation.ts';

/** `capstan threads unpin` */
export function run(given: CommandArguments<typeof unpinCommand>) {
  const [which = ''] = given.words;
  return operateOnThread(given, {
    perform: (engine, id) => engine.stored.unpin(id, which),
    text: ({ id, pin, pins }) => {
      const rest = pins.length === 0 ? 'It has none now.' : `It has ${pins.length} more; they are numbered anew.`;
      return `Thread ${id} no longer has this note: ${JSON.stringify(pin.text)}\n${rest}`;
    },
  });
}
