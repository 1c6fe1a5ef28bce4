import { resolve } from 'node:path';
import { withEngine } from '../../views/command-line/command-engine.ts';
import type { findFilesCommand } from '../table/sandbox-and-files-commands.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { printNote } from '../../views/terminal/print.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';

/** Exit codes: 0: something was found; 1: nothing was. */
export const run = withEngine<typeof findFilesCommand>(async ({ words: [typed = ''], options }, { engine, cwd }) => {
  const { limit, folder = '.', json } = options;
  const found = await engine.findFiles({ cwd: resolve(cwd, folder), typed, limit });
  if ('code' in found) return found;
  const { files, total, isPartial } = found;
  printResult({ files, total, partial: isPartial }, options, () =>
    files.map(({ path, kind }) => `${visibleLine(path)}${kind === 'folder' ? '/' : ''}\n`).join(''),
  );
  if (!json && total === 0) printNote('No matches.');
  if (!json && isPartial) printNote('There are too many files to look at: not all folders were searched.');
  return total === 0 ? 1 : 0;
});
