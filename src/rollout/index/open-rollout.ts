import type { OpenFile } from '../../ports/files.ts';
import { nodeFiles } from '../node-files.ts';

/** A file of this size is read at once: most are smaller, and it is looked at several times. */
const smallFile = 256 * 1024;

/** Opens a rollout for reading. A compressed one is unpacked in memory. */
export async function openRollout(path: string): Promise<OpenFile> {
  const file = await nodeFiles.openToRead(path);
  const isPacked = path.endsWith('.zst');
  const size = await file.size();
  if (!isPacked && size > smallFile) return file;
  try {
    const bytes = Buffer.from(await file.read(0, size));
    return inMemory(isPacked ? process.getBuiltinModule('node:zlib').zstdDecompressSync(bytes) : bytes);
  } finally {
    await file.close();
  }
}

function inMemory(bytes: Buffer): OpenFile {
  const refuse = (): Promise<never> => Promise.reject(new Error('A reader does not write.'));
  return {
    size: async () => bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
    append: refuse,
    truncate: refuse,
    sync: refuse,
    close: async () => {},
    isNamed: async () => true,
  };
}
