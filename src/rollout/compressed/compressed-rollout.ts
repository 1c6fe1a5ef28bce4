import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { FileFacts, Files, OpenFile } from '../../ports/files.ts';
import { fileBlocks, openCompressed, suffix } from './compressed-file.ts';
import { diskFault, onDisk } from '../disk/disk-fault.ts';
import { withOpen } from '../disk/open-file.ts';
import { writeWhole } from '../disk/whole-file.ts';
import { zstdCompressing } from '../disk/zstd.ts';

export interface Compressed {
  readonly path: string;
  /** Bytes before and after. */
  readonly from: number;
  readonly to: number;
}

/**
 * Puts a compressed rollout in place of a plain one, under the thread's writer lock. The plain one goes only when the
 * other is safe and unpacks to the same bytes; until then it is the one that counts. Undefined when a program that
 * knows no locks has written to it meanwhile.
 */
export async function compressRollout(files: Files, path: string): Promise<Compressed | undefined> {
  const target = `${path}${suffix}`;
  try {
    const before = await files.describe(path);
    if (before === undefined) return undefined;
    // What an earlier try left behind counts for nothing as long as the plain file is there.
    await files.remove(target);
    const check = async (temporary: string): Promise<void> => {
      const packed = await hashOf(openCompressed(files, temporary));
      if (packed !== (await hashOf(files.openToRead(path)))) throw new Changed();
      if (!isSame(before, await files.describe(path))) throw new Changed();
    };
    const whole = { path: target, temporary: `${target}.tmp`, mode: before.mode, facts: before, check };
    await withOpen(files.openToRead(path), (source) =>
      writeWhole(files, { ...whole, content: zstdCompressing(fileBlocks(source)) }),
    );
    // Once more, now that the other has its name: from here on the plain one is of no use.
    if (!isSame(before, await files.describe(path))) throw new Changed();
    await files.remove(path);
    await files.syncDirectory(dirname(path));
    return { path: target, from: before.size, to: (await files.describe(target))?.size ?? 0 };
  } catch (error) {
    if (!(error instanceof Changed)) throw diskFault(error, 'save', target);
    await files.remove(target);
    return undefined;
  }
}

class Changed extends Error {}

/**
 * Brings the plain file back, under the thread's writer lock, because a process is about to write to it or to refer to
 * it. Gives its path. If it is there already, that is the one that counts.
 */
export async function restoreRollout(files: Files, compressed: string): Promise<string> {
  const path = compressed.slice(0, -suffix.length);
  return onDisk('save', path, async () => {
    const facts = await files.describe(compressed);
    if (facts !== undefined && (await files.describe(path)) === undefined) {
      const whole = { path, temporary: `${path}.tmp`, mode: facts.mode, facts };
      await withOpen(openCompressed(files, compressed), (packed) =>
        writeWhole(files, { ...whole, content: fileBlocks(packed) }),
      );
    }
    await files.remove(compressed);
    await files.syncDirectory(dirname(path));
    return path;
  });
}

/** Removes what a kill left beside a plain file, which is the one that counts. */
export async function removeCompressed(files: Files, path: string): Promise<void> {
  const compressed = `${path}${suffix}`;
  await onDisk('remove', compressed, async () => {
    if ((await files.describe(compressed)) === undefined) return;
    await files.remove(compressed);
    await files.syncDirectory(dirname(path));
  });
}

function isSame(before: FileFacts, now: FileFacts | undefined): boolean {
  return now?.size === before.size && now.modified === before.modified && now.mode === before.mode;
}

function hashOf(opening: Promise<OpenFile>): Promise<string> {
  return withOpen(opening, async (file) => {
    const hash = createHash('sha256');
    for await (const block of fileBlocks(file)) hash.update(block);
    return hash.digest('hex');
  });
}
