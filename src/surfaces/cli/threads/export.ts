import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { kindOfEntry } from '../../../engine/files.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { readTurnItems } from '../../../core/state/turns/turn-items.ts';
import { loadCommandEngine, loadThread, type ReadThread } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import { exportCommand } from '../table/threads-read-commands.ts';
import { plural, sizeWords, skippedWords } from '../../../engine/wording.ts';
import { currentFolder, diskLossAsOutcome } from '../../views/terminal/process.ts';
import { StoredThreads } from '../../../engine/store/stored-threads.ts';
import { newThreadId } from '../../../engine/store/rollout-file-name.ts';
import {
  exportFileName,
  exportFormatOf,
  exportText,
  replaceExport,
  writeNewExport,
} from '../../views/export/export-file.ts';
import { runBeforeAnySignal } from '../../views/terminal/progress.ts';
import { complain, print } from '../../views/terminal/print.ts';

/** Exit codes: 0: written; 1: not; 2: wrong usage. */
export async function run(given: CommandArguments<typeof exportCommand>): Promise<number | Outcome> {
  const { newId, output, force } = given.options;
  const place = output === undefined || output === '-' ? undefined : placeOf(output);
  if (place !== undefined && 'code' in place) return place;
  const format = given.options.format ?? (place?.kind === 'file' ? exportFormatOf(place.path) : 'jsonl');
  if (newId && format !== 'jsonl') return wrongUsage(exportCommand, '--new-id works only with --format jsonl.');
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const exported = newId ? { ...thread, id: newThreadId() } : thread;
  const text = exportText(exported, format, format === 'jsonl' ? undefined : await threadName(thread.id));
  const message = `The export is not whole. ${skippedWords(thread)}`;
  if (thread.skipped > 0) complain({ message, next: 'Keep the thread: its file has all lines.' }, 0);
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

const exportedWords = ({ lines }: ReadThread, text: string): string =>
  `Exported ${plural(readTurnItems(lines).turns.length, 'turn')}, ${sizeWords(Buffer.byteLength(text))}`;

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
