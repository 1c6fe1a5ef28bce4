import { dirname } from 'node:path';
import type { FileFacts, Files } from '../../ports/files.ts';
import { fileBlocks, openCompressed } from './compressed-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { writeWhole } from '../disk/whole-file.ts';
import { zstdCompressing } from '../disk/zstd.ts';

const suffix = '.zst';

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
    const source = await files.openToRead(path);
    try {
      await writeWhole(files, {
        path: target,
        temporary: `${target}.tmp`,
        mode: before.mode,
        content: zstdCompressing(fileBlocks(source)),
        facts: before,
        check: async (temporary) => {
          if (!(await unpacksTo(files, temporary, path))) throw new Changed();
          if (!isSame(before, await files.describe(path))) throw new Changed();
        },
      });
    } finally {
      await source.close();
    }
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
  try {
    const facts = await files.describe(compressed);
    if (facts !== undefined && (await files.describe(path)) === undefined) {
      const packed = await openCompressed(files, compressed);
      try {
        const temporary = `${path}.tmp`;
        await writeWhole(files, { path, temporary, mode: facts.mode, content: fileBlocks(packed), facts });
      } finally {
        await packed.close();
      }
    }
    await files.remove(compressed);
    await files.syncDirectory(dirname(path));
    return path;
  } catch (error) {
    throw diskFault(error, 'save', path);
  }
}

/** Removes what a kill left beside a plain file, which is the one that counts. */
export async function removeCompressed(files: Files, path: string): Promise<void> {
  try {
    if ((await files.describe(`${path}${suffix}`)) === undefined) return;
    await files.remove(`${path}${suffix}`);
    await files.syncDirectory(dirname(path));
  } catch (error) {
    throw diskFault(error, 'remove', `${path}${suffix}`);
  }
}

function isSame(before: FileFacts, now: FileFacts | undefined): boolean {
  return now?.size === before.size && now.modified === before.modified && now.mode === before.mode;
}

/** Whether the compressed file holds exactly what the plain one does. */
async function unpacksTo(files: Files, compressed: string, plain: string): Promise<boolean> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const hashes: string[] = [];
  for (const [path, form] of [
    [compressed, 'compressed'],
    [plain, 'plain'],
  ] as const) {
    const file = await (form === 'plain' ? files.openToRead(path) : openCompressed(files, path));
    try {
      const hash = createHash('sha256');
      for await (const block of fileBlocks(file)) hash.update(block);
      hashes.push(hash.digest('hex'));
    } finally {
      await file.close();
    }
  }
  return hashes[0] === hashes[1];
}
