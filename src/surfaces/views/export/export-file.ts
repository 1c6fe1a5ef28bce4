import { fileSystem, kindOfEntry, nounFor } from '../../../engine/file-access.ts';
import { findOutputFile, leadsOutWords, writeOutputFile } from '../../../engine/output-file.ts';
import { rolloutFileName } from '../../../engine/store/rollout-file-name.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { type JsonObject, numberAt, stringAt } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { runBeforeAnySignal } from '../terminal/progress.ts';
import { exportPage } from './export-page.ts';
import { threadHtml } from './html.ts';
import { threadMarkdown } from './markdown.ts';
import { extname } from 'node:path';

/** Writes a new file, private to the user like rollouts: it holds prompts and outputs. Refused if it exists. */
export function writeNewExport(path: string, text: string): Outcome<'export-exists' | 'export-unwritten'> | undefined {
  const fs = process.getBuiltinModule('node:fs');
  let file: number | undefined;
  try {
    file = fs.openSync(path, 'wx', 0o600);
    fs.writeFileSync(file, text);
    return undefined;
  } catch (error) {
    // Remove a partial export: half a thread is worse than none.
    if (file !== undefined) fs.rmSync(path, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return unwritten(path, error);
    const other = otherThanFile(path);
    if (other !== undefined) return other;
    return { code: 'export-exists', message: `${path} exists already.`, next: 'Give another name, or add --force.' };
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Writing to a pipe would block all of Capstan until another program reads from it. */
function otherThanFile(path: string): Outcome<'export-unwritten'> | undefined {
  const kind = kindOfEntry(path);
  if (kind === 'file' || kind === 'missing') return undefined;
  const why = `it is ${nounFor(fileSystem.statSync(path))}, and Capstan replaces only files`;
  return { ...unwritten(path, new Error(why)), next: 'Give another name.' };
}

/** Replaces a file, but not through a link that a command may have put into one of these writable folders. */
export async function replaceExport(
  path: string,
  text: string,
  writable: readonly string[],
): Promise<Outcome<'export-unwritten'> | undefined> {
  const file = findOutputFile(path, writable);
  try {
    const other = otherThanFile(path);
    if (other !== undefined) return other;
    if (file === 'leads-out') throw new Error(leadsOutWords);
    if (file.place === undefined) throw new Error('it is not a file');
    await runBeforeAnySignal(() => writeOutputFile(file, text, 0o600));
    return undefined;
  } catch (error) {
    return unwritten(path, error);
  }
}

function unwritten(path: string, error: unknown): Outcome<'export-unwritten'> {
  return { code: 'export-unwritten', message: `${path} cannot be written: ${(error as Error).message}.`, next: '' };
}

export type ExportFormat = 'jsonl' | 'markdown' | 'html';
export type ExportedThread = { readonly id: ThreadId; readonly lines: readonly Line[] };
const endings = { jsonl: '.jsonl', markdown: '.md', html: '.html' } as const;

export function exportFormatOf(path: string): ExportFormat {
  const ending = extname(path).toLowerCase();
  return (['markdown', 'html'] as const).find((format) => endings[format] === ending) ?? 'jsonl';
}

export function exportText({ id, lines }: ExportedThread, format: ExportFormat, name: string | undefined): string {
  if (format !== 'jsonl')
    return { markdown: threadMarkdown, html: threadHtml }[format](exportPage({ id, name }, lines));
  return Array.from(standaloneLines(lines, id), (line) => `${JSON.stringify(line)}\n`).join('');
}

export function exportFileName({ id, lines }: ExportedThread, format: ExportFormat): string {
  const startedAt = Date.parse(String(lines[0]?.payload['timestamp'] ?? lines[0]?.timestamp));
  return rolloutFileName(id, startedAt).replace(/\.jsonl$/, endings[format]);
}

/** References of a first line to the file that it continues; a standalone file has none. */
const pointers: ReadonlySet<string> = new Set(['history_base', 'forked_from_ordinal_exclusive']);

/**
 * The lines as one standalone file, with those that a fork or revert continues, numbered anew without gaps for a
 * program that resumes it. Lines of the older mode have no numbers. The thread gets the id; no other value is changed.
 */
function standaloneLines(lines: readonly Line[], id: ThreadId): readonly Line[] {
  const [first, ...rest] = lines;
  if (first?.type !== lineType.sessionMeta) return lines;
  const isNumbered = first.payload['history_mode'] === 'paginated';
  const flat = [{ ...first, payload: flatMeta(first.payload, lines, id) }, ...rest];
  return isNumbered ? flat.map((line, index) => ({ ...line, ordinal: index as Ordinal })) : flat;
}

function flatMeta(meta: JsonObject, lines: readonly Line[], id: ThreadId): JsonObject {
  const kept: JsonObject = Object.fromEntries(Object.entries(meta).filter(([key]) => !pointers.has(key)));
  const start = numberAt(meta, 'subagent_history_start_ordinal');
  const isBefore = ({ ordinal }: Line, index: number): boolean => index === 0 || (ordinal ?? 0) < (start ?? 0);
  const old = stringAt(meta, 'id');
  // A root thread shares its id with its session; a subagent's session is its parent's.
  const isRoot = meta['session_id'] === undefined || meta['session_id'] === old;
  const named = old === id ? kept : { ...kept, id, ...(isRoot ? { session_id: id } : {}) };
  return start === undefined ? named : { ...named, subagent_history_start_ordinal: lines.filter(isBefore).length };
}
