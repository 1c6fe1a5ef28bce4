import { resolve } from 'node:path';
import { defined } from '../../../base/objects.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { findFilesCommand } from '../table/sandbox-and-files-commands.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { visibleLine } from '../../views/terminal/text.ts';

/** Exit codes: 0: something was found; 1: nothing was. */
export async function run({ words: [typed = ''], options }: CommandArguments<typeof findFilesCommand>) {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded satisfies Outcome;
  const { limit, folder = '.', json } = options;
  const found = await loaded.engine.findFiles({ cwd: resolve(loaded.cwd, folder), typed, ...defined({ limit }) });
  if ('code' in found) return found;
  const { files, total, isPartial } = found;
  if (json) print(`${JSON.stringify({ files, total, partial: isPartial })}\n`, 'json');
  else print(files.map(({ path, kind }) => `${visibleLine(path)}${kind === 'folder' ? '/' : ''}\n`).join(''), 'text');
  if (!json && total === 0) printNote('No matches.');
  if (!json && isPartial) printNote('There are too many files to look at: not all folders were searched.');
  return total === 0 ? 1 : 0;
}
