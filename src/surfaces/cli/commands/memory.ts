import { homedir } from 'node:os';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { memoryCommand } from '../table/settings-commands.ts';
import { loadHomeMemory } from '../../../engine/memory/home-memory.ts';
import { print } from '../../views/terminal/print.ts';
import { memoryText } from '../../views/wording/settings-text.ts';

export async function run({ variant, options }: CommandArguments<typeof memoryCommand>): Promise<number | Outcome> {
  const memory = loadHomeMemory(process.env, homedir());
  if ('code' in memory) return memory;
  if (variant === 'clear') {
    const failed = await memory.clear();
    if (failed !== undefined) return failed;
    print('The memory is empty.\n', 'text');
    return 0;
  }
  const { clear: _clear, ...shown } = memory;
  if (options.json) print(`${JSON.stringify(shown)}\n`, 'json');
  else print(memoryText(memory), 'text');
  return 0;
}
