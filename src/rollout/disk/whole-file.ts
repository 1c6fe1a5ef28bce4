import { dirname } from 'node:path';
import type { FileFacts, Files } from '../../ports/files.ts';
import { errorCode } from '../../disk/file-system.ts';
import { withOpen } from './open-file.ts';

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
