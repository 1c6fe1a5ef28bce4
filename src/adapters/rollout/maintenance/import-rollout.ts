import { basename, dirname } from 'node:path';
import type { OpenFile } from '../../../ports/files.ts';
import type { IdSource } from '../../../ports/system.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';
import { type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { lineType } from '../../../protocol/line.ts';
import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import { errorCode } from '../../disk/file-system.ts';
import { diskFault } from '../files/node-files.ts';
import { findRollouts } from '../files/find-threads.ts';
import { unarchivedPath, parseRolloutName, rolloutPath } from '../files/rollout-paths.ts';
import type { HomePorts, LocalTime } from '../files/rollout-paths.ts';
import { decodeLine } from '../lines/line-format.ts';
import { readRolloutHead } from '../lines/read-lines.ts';
import { RolloutFile } from '../store/journal.ts';
import { splitLinesForward } from '../lines/split-lines.ts';
import { nameFileIfAbsent } from '../files/whole-files.ts';

export interface ImportOptions extends Pick<HomePorts, 'files' | 'home'> {
  readonly localTime: LocalTime;
  readonly ids: IdSource;
  /** In bytes. */
  readonly progress?: WorkProgress;
}

export type ImportedRollout = { readonly kind: 'imported'; readonly id: ThreadId; readonly path: string };
export type ImportProblem = Outcome<'file-missing' | 'not-a-rollout' | 'rollout-not-whole' | 'thread-exists'>;
/** Far more than the metadata of a thread: no other file needs to be read further. */
const longestHead = 16 * 1024 * 1024;

/**
 * Copies a flat rollout to the threads of the home, completely or not at all, and byte for byte except for its first
 * line. That line records the import, in place of whatever it said, under a name that the source cannot have known.
 */
export async function importRollout(source: string, options: ImportOptions): Promise<ImportedRollout | ImportProblem> {
  const { files, home } = options;
  const file = await files.openToRead(source).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw diskFault(error, 'open', source);
  });
  if (file === undefined) {
    const message = `There is no file ${source}.`;
    return { code: 'file-missing', message, next: 'Give the path of an exported thread.' };
  }
  try {
    const head = await readRolloutHead(file, { longest: longestHead });
    const id = head.kind === 'meta' ? parseThreadId(stringAt(head.meta, 'id') ?? '') : undefined;
    if (head.kind !== 'meta' || id === undefined) return notRollout(source);
    if (objectAt(head.meta, 'history_base') !== undefined) return notWhole(source);
    if ((await findRollouts(files, home, id)).kind !== 'none') return known(id);
    const path = placeOf(source, id, head.meta, options);
    const first = await importedLine(file, options.ids.uuid());
    if (first === undefined) return notRollout(source);
    return (await copy(file, first, path, options)) === 'made' ? { kind: 'imported', id, path } : known(id);
  } catch (error) {
    if (error instanceof Fault && error.code === 'line-too-long') return notRollout(source);
    throw diskFault(error, 'open', source);
  } finally {
    await file.close();
  }
}

/** Keeps the file name if it belongs to a rollout of this thread; otherwise it is made from the first line. */
function placeOf(source: string, id: ThreadId, meta: JsonObject, { home, localTime }: ImportOptions): string {
  const name = parseRolloutName(basename(source));
  if (name?.threadId === id && name.rolloutId === id) return unarchivedPath(home, basename(source));
  const startedAt = Date.parse(stringAt(meta, 'timestamp') ?? '');
  return rolloutPath(home, id, localTime(Number.isNaN(startedAt) ? 0 : startedAt));
}

async function importedLine(file: OpenFile, imported: string) {
  for await (const block of splitLinesForward(file)) {
    for (const { bytes, at: start, length } of block) {
      const line = decodeLine(bytes);
      if (line === 'blank' || line === 'bad' || line.type !== lineType.sessionMeta) continue;
      // The data that Capstan kept there, for example about rollbacks and seals, is valid only in the source's home.
      const payload = { ...line.payload, capstan: { imported } };
      return { start, end: start + length, bytes: Buffer.from(JSON.stringify({ ...line, payload })) };
    }
  }
  return undefined;
}

type ImportedLine = NonNullable<Awaited<ReturnType<typeof importedLine>>>;
const blockBytes = 1024 * 1024;

/** The copy gets its name once it is complete and durable: until then, no reader takes it for a thread. */
async function copy(from: OpenFile, first: ImportedLine, path: string, { files, home, ids, progress }: ImportOptions) {
  const temporary = `${path}.${ids.uuid()}.tmp`;
  const to = new RolloutFile({ files, home, path: temporary, durableFolders: new Set() });
  try {
    if (first.start > 0) await to.append(await from.read(0, first.start));
    await to.append(first.bytes);
    for (let at = first.end, size = await from.size(); at < size; at += blockBytes) {
      await progress?.(at, size);
      await to.append(await from.read(at, blockBytes));
    }
    await to.sync();
    await to.close();
    const made = await nameFileIfAbsent(files, temporary, path);
    await files.remove(temporary);
    await files.syncDirectory(dirname(path));
    return made;
  } catch (error) {
    await to.close().catch(() => undefined);
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
}

function notRollout(source: string): ImportProblem {
  const message = `${source} is not a thread file: its first line does not describe a thread.`;
  const next = 'Give a file that was exported as jsonl: see `capstan threads export --help`.';
  return { code: 'not-a-rollout', message, next };
}

function notWhole(source: string): ImportProblem {
  const message = `${source} is not a complete thread: it continues from another file.`;
  const next = 'Export the thread on the machine that has both files, which makes one file of them.';
  return { code: 'rollout-not-whole', message, next };
}

function known(id: ThreadId): ImportProblem {
  const message = `Thread ${id} already exists here.`;
  return { code: 'thread-exists', message, next: 'To have it twice, export it with --new-id.' };
}
