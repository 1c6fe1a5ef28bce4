import { homedir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { readTurnItems } from '../../state/turn-items.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import { wrongUsage } from '../commands/parse-command.ts';
import { exportCommand } from '../commands/threads-read-commands.ts';
import { plural } from '../wording/number-words.ts';
import { currentFolder } from '../terminal/current-folder.ts';
import { StoredThreads } from '../engine/stored-threads.ts';
import { newThreadId, rolloutFileName } from '../engine/rollout-name.ts';
import { flatLines } from '../export/flat-lines.ts';
import { htmlOf } from '../export/html.ts';
import { markdownOf } from '../export/markdown.ts';
import { exportPage } from '../export/export-page.ts';
import { findOutputFile, writeOutputFile } from '../terminal/output-file.ts';
import { lostAsValue } from '../terminal/lost-as-value.ts';
import { beforeAnySignal } from '../terminal/before-signal.ts';
import { complain, print } from '../terminal/print.ts';
import { loadThread, type ReadThread } from '../commands/load-thread.ts';
import { sizeWords } from '../wording/size-words.ts';

type Format = NonNullable<CommandArguments<typeof exportCommand>['options']['format']>;

/** `capstan threads export`. 0: written; 1: not; 2: wrong usage. */
export async function run(given: CommandArguments<typeof exportCommand>): Promise<number | Outcome> {
  const { newId, output, force } = given.options;
  const place = output === undefined || output === '-' ? undefined : placeOf(output);
  if (place !== undefined && 'code' in place) return place;
  const format = given.options.format ?? (place?.kind === 'file' ? formatOf(place.path) : 'jsonl');
  if (newId && format !== 'jsonl') return wrongUsage(exportCommand, '--new-id works only with --format jsonl.');
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const exported = newId ? { ...thread, id: newThreadId() } : thread;
  const text = textOf(exported, format, format === 'jsonl' ? undefined : await threadName(thread.id));
  const { skipped } = thread;
  if (skipped > 0) complain({ message: `Left out ${plural(skipped, 'line')} that could not be read.`, next: '' }, 0);
  if (place === undefined) {
    print(text, format === 'jsonl' ? 'exact json' : 'exact text');
    return 0;
  }
  const path = place.kind === 'folder' ? join(place.path, nameOf(exported, format)) : place.path;
  const problem = await (force ? replace(path, text) : beforeAnySignal(() => write(path, text)));
  if (problem !== undefined) return problem;
  // A script takes the path from here.
  print(process.stdout.isTTY ? `${exportedWords(thread, text)}, to ${path}\n` : `${path}\n`, 'text');
  return 0;
}

function exportedWords({ lines }: ReadThread, text: string): string {
  return `Exported ${plural(readTurnItems(lines).turns.length, 'turn')}, ${sizeWords(Buffer.byteLength(text))}`;
}

function placeOf(output: string): { readonly kind: 'file' | 'folder'; readonly path: string } | Outcome {
  const here = currentFolder();
  if ('code' in here) return here;
  const path = resolve(here.path, output);
  return { kind: kindOfEntry(path) === 'folder' ? 'folder' : 'file', path };
}

const endings = { jsonl: '.jsonl', markdown: '.md', html: '.html' } as const;

/** By how the name of the file ends. */
function formatOf(path: string): Format {
  const ending = extname(path).toLowerCase();
  return (['markdown', 'html'] as const).find((format) => endings[format] === ending) ?? 'jsonl';
}

/** What the user calls the thread. A page without it is better than none. */
async function threadName(id: ThreadId): Promise<string | undefined> {
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return undefined;
  const found = await lostAsValue(() => stored.summary(id));
  return 'code' in found ? undefined : found.name;
}

function textOf({ id, lines }: ReadThread, format: Format, name: string | undefined): string {
  if (format !== 'jsonl') {
    return { markdown: markdownOf, html: htmlOf }[format](exportPage({ id, ...defined({ name }) }, lines));
  }
  const flat = flatLines(lines, id).map((line) => `${JSON.stringify(line)}\n`);
  return flat.join('');
}

function nameOf({ id, lines }: ReadThread, format: Format): string {
  const startedAt = Date.parse(String(lines[0]?.payload['timestamp'] ?? lines[0]?.timestamp));
  return rolloutFileName(id, startedAt).replace(/\.jsonl$/, endings[format]);
}

/** For the user alone, as rollouts are: it holds prompts and outputs. */
function write(path: string, text: string): Outcome | undefined {
  const fs = process.getBuiltinModule('node:fs');
  let file: number | undefined;
  try {
    file = fs.openSync(path, 'wx', 0o600);
    fs.writeFileSync(file, text);
    return undefined;
  } catch (error) {
    // Half a thread is worse than none.
    if (file !== undefined) fs.rmSync(path, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return unwritten(path, error);
    const message = `${path} exists already.`;
    return { code: 'export-unwritten', message, next: 'Give another name, or add --force.' };
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** In place of what is there, but not through a link that a command may have put into the workspace or a writable root. */
async function replace(path: string, text: string): Promise<Outcome | undefined> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { engine, cwd } = loaded;
  const file = findOutputFile(path, [cwd, '/tmp', process.env['TMPDIR'] ?? '', ...engine.configuredRoots]);
  try {
    if (file === 'leads-out')
      throw new Error(
        'it leads through a link, which a command may have made, out of the folders where commands may write',
      );
    await beforeAnySignal(() => writeOutputFile(file, text, 0o600));
    return undefined;
  } catch (error) {
    return unwritten(path, error);
  }
}

function unwritten(path: string, error: unknown): Outcome {
  return { code: 'export-unwritten', message: `${path} cannot be written: ${(error as Error).message}.`, next: '' };
}
