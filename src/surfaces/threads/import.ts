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
import type { CommandArguments } from '../commands/command.ts';
import type { importCommand } from '../commands/threads-read-commands.ts';
import { currentFolder } from '../current-folder.ts';
import { print } from '../print.ts';

/** `capstan threads import`. 0: it is here; 1: not; 2: wrong usage. */
export async function run({ words }: CommandArguments<typeof importCommand>): Promise<number | Outcome> {
  const [name = ''] = words;
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
