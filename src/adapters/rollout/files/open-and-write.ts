import type { FileFacts, Files, OpenFile } from '../../../ports/files.ts';
import { errorCode } from '../../disk/file-system.ts';
import { dirname } from 'node:path';

/** Closes the file, whatever becomes of the work with it. */
export async function withOpen<Result>(
  opening: Promise<OpenFile>,
  work: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  const file = await opening;
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** A part of a file as if it were the whole. */
export function fileWindow(file: OpenFile, start: number, end: number): OpenFile {
  return {
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
  };
}

/** Where the last whole line of a file ends: after its last newline. */
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

export interface WholeFile {
  readonly path: string;
  /** A name in the same folder that no other process uses meanwhile. What an earlier try left there is overwritten. */
  readonly temporary: string;
  readonly mode: number;
  readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** The file gets these instead of those of its making. */
  readonly facts?: Pick<FileFacts, 'modified' | 'mode'>;
  /** Looks at the file, which is synced, before it gets its name. Whatever it throws leaves nothing behind. */
  readonly check?: (temporary: string) => Promise<void>;
}

/**
 * Writes a file that is there whole or not at all, whatever happens meanwhile, and never in place of another one:
 * `there` says that something had the name. Its folder is synced, not the folders above.
 */
export async function writeWhole(files: Files, whole: WholeFile): Promise<'made' | 'there'> {
  const { path, temporary, mode, content, facts, check } = whole;
  try {
    await withOpen(files.open(temporary, { create: true, mode }), async (file) => {
      await file.truncate(0);
      for await (const bytes of content) await file.append(bytes);
      await file.sync();
    });
    await check?.(temporary);
    if (facts !== undefined) await files.setFacts(temporary, facts);
    const made = await nameWhole(files, temporary, path);
    await files.remove(temporary);
    await files.syncDirectory(dirname(path));
    return made;
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
}

/** Gives a file its name unless something has it. */
export async function nameWhole(files: Files, temporary: string, path: string): Promise<'made' | 'there'> {
  try {
    await files.link(temporary, path);
    return 'made';
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return 'there';
    // Disks without second names: the caller holds a lock, or does not mind which process was first.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    if ((await files.describe(path)) !== undefined) return 'there';
    await files.move(temporary, path);
    return 'made';
  }
}
