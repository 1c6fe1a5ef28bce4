import { homedir } from 'node:os';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { memoryCommand } from '../table/settings-commands.ts';
import { loadHomeMemory } from '../../../engine/memory/home-memory.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { print } from '../../views/terminal/print.ts';
import { memoryText } from '../../views/wording/settings-text.ts';

export async function run({ variant, options }: CommandArguments<typeof memoryCommand>): Promise<number | Outcome> {
  const memory = loadHomeMemory(process.env, homedir());
  if ('code' in memory) return memory;
  const { clear, ...shown } = memory;
  if (variant === 'show') return printResult(shown, options, () => memoryText(memory));
  const failed = await clear();
  if (failed !== undefined) return failed;
  print('The memory is empty.\n', 'text');
  return 0;
}
