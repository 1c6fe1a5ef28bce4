import type { CommandGroup, CommandWork } from '../commands/command-group.ts';
import type { completionCommand } from '../commands/other-commands.ts';
import { print } from '../terminal/print.ts';
import { bashScript } from './bash-script.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const scripts: Readonly<Record<string, typeof bashScript>> = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `capstan completion SHELL`: a script that the shell can source. */
export function completionOf(table: CommandGroup): CommandWork<typeof completionCommand> {
  return {
    run({ words: [shell = ''] }) {
      print(scripts[shell]?.(table) ?? '', 'text');
      return 0;
    },
  };
}
