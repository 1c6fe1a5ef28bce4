import type { FileFacts, JournalDisk, OpenFile } from '../../../ports/files.ts';
import { errorCode } from '../../disk/file-system.ts';
import { diskFault } from './node-files.ts';
import { dirname } from 'node:path';

export async function withOpenFile<Result>(opening: Promise<OpenFile>, work: (file: OpenFile) => Promise<Result>) {
  const file = await opening;
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Undefined if there is no such file. */
export async function readIfThere<Result>(files: JournalDisk, path: string, read: (file: OpenFile) => Promise<Result>) {
  try {
    return await withOpenFile(files.openToRead(path), read);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw diskFault(error, 'read', path);
  }
}

export const viewOfFileRange = (file: OpenFile, start: number, end: number): OpenFile => ({
  ...file,
  size: async () => end - start,
  read: (position, length, memory) =>
    file.read(start + position, Math.max(0, Math.min(length, end - start - position)), memory),
  ...(file.tooLong && {
    tooLong: () =>
      file.tooLong!()
        .filter((line) => line.start >= start && line.end <= end)
        .map((line) => ({ start: line.start - start, end: line.end - start })),
  }),
});

/** Offset after the last newline. */
export async function endOfLastLine(file: OpenFile, size: number): Promise<number> {
  const block = 64 * 1024;
  const known = file.tooLong?.().find(({ end }) => end === size);
  if (known !== undefined) return known.start;
  for (let end = size; end > 0; end -= block) {
    const start = Math.max(0, end - block);
    const bytes = Buffer.from(await file.read(start, end - start));
    const at = bytes.lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}

export interface AtomicFileCreation {
  readonly path: string;
  /** A name in the same folder that no other process uses meanwhile. Leftovers of an earlier try are overwritten. */
  readonly temporary: string;
  readonly mode: number;
  readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** The new file gets these facts instead of its own. */
  readonly facts?: Pick<FileFacts, 'modified' | 'mode'>;
  /** Checks the synced file before it gets its name. If it throws, nothing is left behind. */
  readonly check?: (temporary: string) => Promise<void>;
}

/** Writes a file completely or not at all and replaces none (`there`). Syncs its folder, not those above. */
export async function createFileAtomically(files: JournalDisk, whole: AtomicFileCreation): Promise<'made' | 'there'> {
  const { path, temporary, mode, content, facts, check } = whole;
  try {
    await withOpenFile(files.open(temporary, { create: true, mode }), async (file) => {
      await file.truncate(0);
      for await (const bytes of content) await file.append(bytes);
      await file.sync();
    });
    await check?.(temporary);
    if (facts !== undefined) await files.setFacts(temporary, facts);
    const made = await nameFileIfAbsent(files, temporary, path);
    await files.remove(temporary);
    await files.syncDirectory(dirname(path));
    return made;
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
}

export async function nameFileIfAbsent(files: JournalDisk, temporary: string, path: string): Promise<'made' | 'there'> {
  try {
    await files.link(temporary, path);
    return 'made';
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return 'there';
    // A disk without hard links renames instead: the caller holds a lock, or does not mind which process was first.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    if ((await files.describe(path)) !== undefined) return 'there';
    await files.move(temporary, path);
    return 'made';
  }
}
