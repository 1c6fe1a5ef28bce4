import { homedir } from 'node:os';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { memoryCommand } from '../commands/memory-command.ts';
import { type HomeMemory, loadHomeMemory } from '../engine/home-memory.ts';
import { print } from '../terminal/print.ts';
import { count, plural } from '../wording/number-words.ts';

/** `capstan memory`. */
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
  else print(described(memory), 'text');
  return 0;
}

function described({ folder, summary, notes }: HomeMemory): string {
  if (summary === '' && notes.length === 0) return 'Nothing is remembered.\n';
  const lines = notes.map(({ threadId, kind, usedAt, tokens, failed }) => {
    const day = new Date(usedAt).toISOString().slice(0, 10);
    const later = failed === undefined ? '' : ', a later attempt failed';
    return `${day}  ${threadId}  ${words[kind]}${later}, ${tokens} tokens\n`;
  });
  const total = notes.reduce((sum, { tokens }) => sum + tokens, 0);
  const noted = notes.filter(({ kind }) => kind === 'noted').length;
  const threads = plural(notes.length, 'thread');
  const which =
    noted === 0 ? `No notes about ${threads}` : `Notes about ${noted === notes.length ? '' : `${noted} of `}${threads}`;
  const about = notes.length === 0 ? '' : `\n${which}, for ${count(total)} tokens:\n${lines.join('')}`;
  return `${folder}\n\n${summary.trim() === '' ? 'There is no summary yet.' : summary.trim()}\n${about}`;
}

const words = { noted: 'noted', nothing: 'nothing to note', failed: 'failed' } as const;
