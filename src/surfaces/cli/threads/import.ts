import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { kindOfEntry } from '../../../engine/files.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { shellWords } from '../../../protocol/shell.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { importCommand } from '../table/threads-read-commands.ts';
import { currentFolder } from '../../views/terminal/process.ts';
import { StoredThreads } from '../../../engine/store/stored-threads.ts';
import { printResult } from '../../views/terminal/page.ts';
import { plural, sizeWords } from '../../../engine/wording.ts';
import { fitToWidth, visibleLine } from '../../views/terminal/text.ts';
import { resumeCommand } from '../../views/wording/command-hints.ts';
import { withProgress } from '../../views/terminal/progress.ts';

/** Exit codes: 0: imported; 1: not; 2: wrong usage. */
export async function run({ words, options }: CommandArguments<typeof importCommand>): Promise<number | Outcome> {
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
  const { id, path } = imported;
  // Scripts read the id from standard output.
  const text = options.json || !process.stdout.isTTY ? `${id}\n` : await importedText(stored, id);
  return printResult({ kind: 'imported', id, path }, options, () => text);
}

async function importedText(stored: StoredThreads, id: ThreadId): Promise<string> {
  const summary = await stored.summary(id);
  const [turns, preview] = 'code' in summary ? [0, ''] : [summary.turns, visibleLine(summary.preview)];
  const first = preview === '' ? '' : `, beginning with ${JSON.stringify(fitToWidth(preview, longestPreview))}`;
  return `Imported thread ${id}: ${plural(turns, 'turn')}${first}.\nTo resume it in this folder: ${resumeCommand(id)}\n`;
}

const longestPreview = 60;

function folderInPlace(source: string): Outcome {
  const [message, next] =
    kindOfEntry(join(source, 'sessions')) === 'folder'
      ? [
          `${source} is a home folder and needs no import.`,
          `Use its threads in place: CODEX_HOME=${shellWords([source])} capstan threads list`,
        ]
      : [
          `${source} is a folder, not a file.`,
          'Name a file that was exported as jsonl: `capstan threads export --help` says how.',
        ];
  return { code: 'not-a-rollout', message, next };
}
