import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { importCommand } from '../commands/threads-read-commands.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { StoredThreads } from '../engine/stored-threads.ts';
import { print } from '../terminal/print.ts';
import { withProgress } from '../terminal/with-progress.ts';
import { sizeWords } from './size-words.ts';

/** `capstan threads import`. 0: it is here; 1: not; 2: wrong usage. */
export async function run({ words }: CommandArguments<typeof importCommand>): Promise<number | Outcome> {
  const [name = ''] = words;
  const here = currentFolder();
  if ('code' in here) return here;
  const source = resolve(here.path, name);
  if (kindOfEntry(source) === 'folder') return folderInPlace(source);
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return stored;
  const imported = await withProgress({ label: 'Importing', amount: sizeWords }, (report) =>
    stored.importFile(source, report),
  );
  if ('outcome' in imported) return imported.outcome;
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
