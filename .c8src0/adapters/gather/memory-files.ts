import type { StepFacts } from '../../core/envelope/facts.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { fileSystem, listFolderNames } from '../disk/file-system.ts';
import { type AccessForOthers, makeOwnFolder, readOwnFile, writeOwnFile } from '../disk/own-files.ts';
import { readTextIfPossible } from '../disk/regular-files.ts';
import { withTrailingSeparator } from './files/project-folders.ts';
import { readGuard, readLimits } from './files/read-guard.ts';
import { join } from 'node:path';

/** Codex uses the same file names, and both programs read the files. */
export type MemoryTexts = { readonly memory: string; readonly summary: string };

export const memoryFolder = (home: string): string => join(home, 'memories');
const names = { memory: 'MEMORY.md', summary: 'memory_summary.md' } as const;
const aboutThreads = 'rollout_summaries';

/** Empty: missing, or must not be read. */
export function readMemoryTexts(home: string): MemoryTexts {
  const text = (name: string): string =>
    readTextIfPossible(join(memoryFolder(home), name), { maxBytes: readLimits.instructionsBytes }) ?? '';
  return { memory: text(names.memory), summary: text(names.summary) };
}

/** Replaces each file by rename, so a crash leaves the old one or the new one. Throws what Node throws. */
export function writeMemoryTexts(home: string, { memory, summary }: MemoryTexts): void {
  const folder = openFolder(memoryFolder(home));
  write(folder, names.memory, memory);
  // Last, since it refers to the other file.
  write(folder, names.summary, summary);
}

export function writeThreadSummary(home: string, name: string, text: string): void {
  openFolder(memoryFolder(home));
  write(openFolder(join(memoryFolder(home), aboutThreads)), name, text);
}

export function removeThreadSummary(home: string, name: string): void {
  fileSystem.rmSync(join(memoryFolder(home), aboutThreads, name), { force: true });
}

/** Removes both files and all summaries. Anything else in the folder is not ours. */
export function removeMemoryTexts(home: string): void {
  const folder = memoryFolder(home);
  for (const name of Object.values(names)) fileSystem.rmSync(join(folder, name), { force: true });
  fileSystem.rmSync(join(folder, 'raw_memories.md'), { force: true });
  fileSystem.rmSync(join(folder, aboutThreads), { force: true, recursive: true });
}

function openFolder(folder: string, toOthers: AccessForOthers = 'readable'): string {
  if (!makeOwnFolder(folder, toOthers)) throw new Error(`${folder} is not a folder of yours alone`);
  return folder;
}

function write(folder: string, name: string, text: string): void {
  writeOwnFile(join(folder, name), join(folder, `.${name}.${process.pid}.new`), `${text.trim()}\n`);
}

export interface MemoryNote {
  readonly threadId: string;
  /** `nothing`: the thread had nothing worth a note. */
  readonly kind: 'noted' | 'nothing' | 'failed';
  /** The thread's last use before this note was made. */
  readonly usedAt: number;
  readonly at: number;
  readonly text: string;
  readonly cwd?: string;
  readonly file?: string;
  /** Tokens spent, if known, including later failed attempts. */
  readonly tokens: number;
  /** A later failed attempt: the note written before it stays. */
  readonly failed?: Pick<MemoryNote, 'usedAt' | 'at'>;
}

const mostBytes = 1024 ** 2;
const mostNotes = 10_000;
const mergedName = 'merged.json';
/** Not in the folder that models read: another program rebuilds that folder from its own notes. */
export const memoryNotesFolder = (home: string): string => join(home, 'capstan/memories');

/** Skips incomplete and foreign files. */
export function readMemoryNotes(home: string): readonly MemoryNote[] {
  return listFolderNames(memoryNotesFolder(home))
    .filter((name) => name.endsWith('.json') && name !== mergedName)
    .slice(0, mostNotes)
    .flatMap((name) => readNote(home, name) ?? []);
}

function readNote(home: string, name: string): MemoryNote | undefined {
  const value = readJson(home, name);
  const [threadId, kind] = [stringAt(value, 'thread_id'), stringAt(value, 'kind')];
  const [usedAt, at] = [numberAt(value, 'used_at'), numberAt(value, 'at')];
  if (threadId === undefined || `${threadId}.json` !== name || usedAt === undefined || at === undefined)
    return undefined;
  if (kind !== 'noted' && kind !== 'nothing' && kind !== 'failed') return undefined;
  const [text, tokens] = [stringAt(value, 'text') ?? '', numberAt(value, 'tokens') ?? 0];
  const [cwd, named] = [stringAt(value, 'cwd'), stringAt(value, 'file')];
  // The name is used to delete the file, so it must not lead elsewhere.
  const file = named !== undefined && /^[\w-]+\.md$/.test(named) ? named : undefined;
  const failed = readFailed(objectAt(value, 'failed'));
  return { threadId, kind, usedAt, at, text, tokens, cwd, file, failed };
}

function readFailed(value: JsonObject | undefined): MemoryNote['failed'] {
  const [usedAt, at] = [numberAt(value, 'used_at'), numberAt(value, 'at')];
  return usedAt === undefined || at === undefined ? undefined : { usedAt, at };
}

/** Throws what Node throws. */
export function writeMemoryNote(home: string, { threadId, usedAt, failed, ...note }: MemoryNote): void {
  const attempt = failed === undefined ? {} : { failed: { used_at: failed.usedAt, at: failed.at } };
  writeJson(home, `${threadId}.json`, { thread_id: threadId, used_at: usedAt, ...note, ...attempt });
}

/** All notes up to this time are merged into the files. */
export const readNotesMergedAt = (home: string): number => numberAt(readJson(home, mergedName), 'at') ?? 0;

export function writeNotesMergedAt(home: string, at: number): void {
  writeJson(home, mergedName, { at });
}

export function removeMemoryNotes(home: string): void {
  for (const name of listFolderNames(memoryNotesFolder(home)))
    if (name.endsWith('.json')) fileSystem.rmSync(join(memoryNotesFolder(home), name), { force: true });
}

function readJson(home: string, name: string) {
  const file = readOwnFile(join(memoryNotesFolder(home), name), { maxBytes: mostBytes, toOthers: 'closed' });
  return parseJsonObject(file?.bytes.toString('utf8') ?? '');
}

function writeJson(home: string, name: string, value: object): void {
  write(openFolder(memoryNotesFolder(home), 'closed'), name, JSON.stringify(value));
}

/** Memory of earlier threads, for the model. Empty where the policy denies the folder. */
export function readMemorySummary(home: string, policy: ResolvedPolicy): Pick<StepFacts, 'memory'> {
  const folder = `${withTrailingSeparator(home)}memories`;
  const { deniesModel: denies } = readGuard(policy);
  const summary = readTextIfPossible(`${folder}/memory_summary.md`, { maxBytes: readLimits.instructionsBytes, denies });
  return summary === undefined || summary.trim() === '' ? {} : { memory: { summary: summary.trim(), folder } };
}
