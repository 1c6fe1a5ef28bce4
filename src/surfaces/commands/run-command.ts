import type { Outcome } from '../../protocol/outcome.ts';
import { lostAsValue } from '../terminal/lost-as-value.ts';
import { outlastReaders } from '../terminal/wait-for-readers.ts';
import { complain, print } from '../terminal/print.ts';
import type { Command } from './command.ts';
import type { CommandWork } from './command-group.ts';
import { parseCommand } from './parse-command.ts';

/** Runs a command: help and wrong usage are answered here, and so is what comes of the work. Gives the exit code. */
export async function runCommand<Form extends Command>(
  command: Form,
  words: readonly string[],
  load: () => CommandWork<Form> | Promise<CommandWork<Form>>,
): Promise<number> {
  const standardOutput = outlastReaders();
  const given = parseCommand(command, words);
  if (typeof given !== 'string' && 'code' in given) return complain(given, 2);
  let whereElse = '';
  const work = async (): Promise<number | Outcome> => {
    if (typeof given === 'string') {
      const { commandHelp } = await import('./command-help.ts');
      print(commandHelp(command), 'text');
      return given === 'help' ? 0 : 2;
    }
    const loaded = await load();
    whereElse = loaded.whereElse?.(given) ?? '';
    return loaded.run(given);
  };
  const end = await lostAsValue(work);
  const lost = await standardOutput.finish();
  if (typeof end !== 'number') return complain(end, end.code === 'usage' ? 2 : 1);
  return lost === undefined ? end : complain({ ...lost, next: `${lost.next}${whereElse}` }, 1);
}
