import { readTurnItems } from '../../../core/state/turns/turn-items.ts';
import { kindOfEntry } from '../../../engine/file-access.ts';
import { newThreadId } from '../../../engine/store/rollout-file-name.ts';
import { StoredThreads } from '../../../engine/store/stored-threads.ts';
import { plural, formatBytes, describeSkippedLines } from '../../../engine/wording.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import { loadCommandEngine, loadThread, type ReadOnlyThread } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import {
  exportFileName,
  exportFormatOf,
  exportText,
  replaceExport,
  writeNewExport,
} from '../../views/export/export-file.ts';
import { printFailure, print } from '../../views/terminal/print.ts';
import { currentFolder, diskLossAsOutcome } from '../../views/terminal/process.ts';
import { runBeforeAnySignal, withProgress } from '../../views/terminal/progress.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { fitToWidth, visibleLine } from '../../views/terminal/visible-text.ts';
import { resumeCommand } from '../../views/wording/command-hints.ts';
import { exportCommand, type importCommand } from '../table/threads-read-commands.ts';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Exit codes: 0: written; 1: not; 2: wrong usage. */
export async function runExport(given: CommandArguments<typeof exportCommand>): Promise<number | Outcome> {
  const { newId, output, force } = given.options;
  const place = output === undefined || output === '-' ? undefined : placeOf(output);
  if (place !== undefined && 'code' in place) return place;
  const format = given.options.format ?? (place?.kind === 'file' ? exportFormatOf(place.path) : 'jsonl');
  if (newId && format !== 'jsonl') return wrongUsage(exportCommand, '--new-id works only with --format jsonl.');
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const exported = newId ? { ...thread, id: newThreadId() } : thread;
  const text = exportText(exported, format, format === 'jsonl' ? undefined : await threadName(thread.id));
  const message = `The export is not whole. ${describeSkippedLines(thread)}`;
  if (thread.skipped > 0) printFailure({ message, next: 'Keep the thread: its file has all lines.' }, 0);
  if (place === undefined) {
    print(text, format === 'jsonl' ? 'exact json' : 'exact text');
    return 0;
  }
  const path = place.kind === 'folder' ? join(place.path, exportFileName(exported, format)) : place.path;
  const problem = await (force ? replace(path, text) : runBeforeAnySignal(() => writeNewExport(path, text)));
  if (problem !== undefined) return problem;
  // Scripts read the path from standard output.
  print(process.stdout.isTTY ? `${exportedWords(thread, text)}, to ${path}\n` : `${path}\n`, 'text');
  return 0;
}

const exportedWords = ({ lines }: ReadOnlyThread, text: string): string =>
  `Exported ${plural(readTurnItems(lines).turns.length, 'turn')}, ${formatBytes(Buffer.byteLength(text))}`;

function placeOf(output: string): { readonly kind: 'file' | 'folder'; readonly path: string } | Outcome {
  const here = currentFolder();
  if ('code' in here) return here;
  const path = resolve(here.path, output);
  return { kind: kindOfEntry(path) === 'folder' ? 'folder' : 'file', path };
}

/** The user's name for the thread. Failing to read it does not fail the export. */
async function threadName(id: ThreadId): Promise<string | undefined> {
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return undefined;
  const found = await diskLossAsOutcome(() => stored.summary(id));
  return 'code' in found ? undefined : found.name;
}

/** Replaces the file, but not through a link that a command may have put into the workspace or a writable root. */
async function replace(path: string, text: string): Promise<Outcome | undefined> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  return replaceExport(path, text, [loaded.cwd, ...loaded.engine.config.writableFolders]);
}

/** Exit codes: 0: imported; 1: not; 2: wrong usage. */
export async function runImport({ words, options }: CommandArguments<typeof importCommand>): Promise<number | Outcome> {
  const [name = ''] = words;
  const here = currentFolder();
  if ('code' in here) return here;
  const source = resolve(here.path, name);
  if (kindOfEntry(source) === 'folder') return folderInPlace(source);
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return stored;
  const imported = await withProgress({ label: 'Importing', amount: formatBytes }, (report) =>
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
          `Use its threads in place: CODEX_HOME=${quoteShellCommand([source])} capstan threads list`,
        ]
      : [
          `${source} is a folder, not a file.`,
          'Name a file that was exported as jsonl: `capstan threads export --help` says how.',
        ];
  return { code: 'not-a-rollout', message, next };
}
