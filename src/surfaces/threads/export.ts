import { basename, join, resolve } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { localTime, rolloutPath } from '../../rollout/names.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { complain } from '../complain.ts';
import { plural } from '../context/table.ts';
import { currentFolder } from '../current-folder.ts';
import { flatLines } from '../export/flat-lines.ts';
import { htmlOf } from '../export/html.ts';
import { markdownOf } from '../export/markdown.ts';
import { exportPage } from '../export/export-page.ts';
import { findOutputFile, writeOutputFile } from '../output-file.ts';
import { print } from '../print.ts';
import { readThread, type ReadThread } from '../read-thread.ts';
import { lastOption, runCommand, threadNamed } from '../run-command.ts';
import { loadLookingEngine } from './looking-engine.ts';

const formats = ['jsonl', 'markdown', 'html'] as const;
type Format = (typeof formats)[number];

export const form: CommandForm = {
  name: 'threads export',
  summary: 'Writes a thread as one file.',
  forms: ['THREAD [--format jsonl|markdown|html] [-o FILE]', '--last …'],
  options: [
    { key: 'format', names: ['--format'], value: 'FORMAT', help: 'jsonl (a rollout that resumes), markdown or html' },
    { key: 'output', names: ['-o', '--output'], value: 'FILE', help: 'where to; a folder: under a name of its own' },
    { key: 'force', names: ['--force'], help: 'replace a file that is there' },
    { key: 'newId', names: ['--new-id'], help: 'jsonl: as another thread, which may stand beside this one' },
    lastOption,
  ],
  notes:
    'A jsonl file holds the whole thread, what a fork or a revert goes on from included. Capstan and Codex\n' +
    'resume it from `sessions/YYYY/MM/DD/` of their home, under the name that `-o FOLDER` gives it. It says\n' +
    'what the thread says: whoever gets it reads all of it.',
};

/** `capstan threads export`. 0: written; 1: not; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, exportThread);
}

async function exportThread(asked: ParsedWords): Promise<number | Outcome> {
  const meant = threadNamed(form, asked);
  if ('code' in meant) return meant;
  const given = asked.values.get('format')?.at(-1) ?? 'jsonl';
  const format = formats.find((known) => known === given);
  if (format === undefined) return wrongUsage(form, `there is no format ${given}.`);
  const newId = asked.flags.has('newId');
  if (newId && format !== 'jsonl') return wrongUsage(form, '--new-id goes with --format jsonl.');
  const thread = await readThread(meant.name);
  if ('code' in thread) return thread;
  const exported = newId ? { ...thread, id: systemIds(systemClock).uuid() as ThreadId } : thread;
  const text = textOf(exported, format);
  const { skipped } = thread;
  if (skipped > 0) complain({ message: `${plural(skipped, 'line')} could not be read and left out.`, next: '' }, 0);
  const output = asked.values.get('output')?.at(-1);
  if (output === undefined || output === '-') {
    print(text, format === 'jsonl' ? 'exact json' : 'exact text');
    return 0;
  }
  const here = currentFolder();
  if ('code' in here) return here;
  const target = resolve(here.path, output);
  const path = kindOfEntry(target) === 'folder' ? join(target, nameOf(exported, format)) : target;
  return asked.flags.has('force') ? replace(path, text) : write(path, text);
}

function textOf({ id, lines }: ReadThread, format: Format): string {
  switch (format) {
    case 'jsonl':
      return flatLines(lines, id)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    case 'markdown':
      return markdownOf(exportPage(id, lines));
    case 'html':
      return htmlOf(exportPage(id, lines));
  }
}

function nameOf({ id, lines }: ReadThread, format: Format): string {
  const startedAt = Date.parse(String(lines[0]?.payload['timestamp'] ?? lines[0]?.timestamp));
  const rollout = basename(rolloutPath('', id, localTime(Number.isNaN(startedAt) ? systemClock.now() : startedAt)));
  const ending = { jsonl: '.jsonl', markdown: '.md', html: '.html' }[format];
  return rollout.replace(/\.jsonl$/, ending);
}

/** For the user alone, as rollouts are: it holds prompts and outputs. */
function write(path: string, text: string): number | Outcome {
  try {
    process.getBuiltinModule('node:fs').writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const message = isThere ? `${path} is there already.` : `${path} cannot be written: ${(error as Error).message}.`;
    return { code: 'export-unwritten', message, next: isThere ? 'Give another name, or add --force.' : '' };
  }
  print(`${path}\n`, 'text');
  return 0;
}

/** In place of what is there, but not through a link that a command may have put into the workspace or a writable root. */
async function replace(path: string, text: string): Promise<number | Outcome> {
  const looking = await loadLookingEngine();
  if ('code' in looking) return looking;
  const { engine, cwd } = looking;
  const file = findOutputFile(path, [cwd, '/tmp', process.env['TMPDIR'] ?? '', ...engine.configuredRoots]);
  try {
    if (file === 'leads-out')
      throw new Error('a link that a command may have made leads out of where commands may write');
    writeOutputFile(file, text, 0o600);
  } catch (error) {
    return { code: 'export-unwritten', message: `${path} cannot be written: ${(error as Error).message}.`, next: '' };
  }
  print(`${path}\n`, 'text');
  return 0;
}
