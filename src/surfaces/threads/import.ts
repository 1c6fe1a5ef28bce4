import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import { findHome } from '../../gather/home.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import { importRollout } from '../../rollout/import-rollout.ts';
import { localTime } from '../../rollout/names.ts';
import { nodeFiles } from '../../rollout/node-files.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { currentFolder } from '../current-folder.ts';
import { print } from '../print.ts';
import { runCommand } from '../run-command.ts';

export const form: CommandForm = {
  name: 'threads import',
  summary: 'Takes over a thread that was exported as JSONL.',
  forms: ['FILE'],
  options: [],
  notes:
    'The file is copied, and the thread keeps its id. `capstan exec resume` runs it in the folder where you start it,\n' +
    'with no more permissions than you have configured. The home of Codex needs no import: Capstan works with it in\n' +
    'place when CODEX_HOME names it.',
};

/** `capstan threads import`. 0: it is here; 1: not; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, importThread);
}

async function importThread(asked: ParsedWords): Promise<number | Outcome> {
  const [name, ...more] = asked.positional;
  if (name === undefined || more.length > 0) return wrongUsage(form, 'name one file.');
  const here = currentFolder();
  if ('code' in here) return here;
  const source = resolve(here.path, name);
  if (kindOfEntry(source) === 'folder') return folderInPlace(source);
  const home = findHome(process.env, homedir());
  if ('code' in home) return home;
  const imported = await importRollout(source, {
    files: nodeFiles,
    home: home.path,
    localTime,
    ids: systemIds(systemClock),
  });
  if ('code' in imported) return imported;
  print(`${imported.id}\n`, 'text');
  return 0;
}

function folderInPlace(source: string): Outcome {
  const isHome = kindOfEntry(join(source, 'sessions')) === 'folder';
  return {
    code: 'not-a-rollout',
    message: isHome ? `${source} is a home and needs no import.` : `${source} is a folder.`,
    next: isHome
      ? `Its threads can be used in place: CODEX_HOME=${source} capstan exec resume THREAD`
      : 'Name a file that was exported as jsonl: `capstan threads export --help` says how.',
  };
}
