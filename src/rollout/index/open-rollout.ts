import type { OpenFile } from '../../ports/files.ts';
import { nodeFiles } from '../node-files.ts';

/** Opens a rollout for reading. A compressed one is unpacked in memory. */
export async function openRollout(path: string): Promise<OpenFile> {
  const file = await nodeFiles.openToRead(path);
  if (!path.endsWith('.zst')) return file;
  try {
    const packed = await file.read(0, await file.size());
    return inMemory(process.getBuiltinModule('node:zlib').zstdDecompressSync(packed));
  } finally {
    await file.close();
  }
}

function inMemory(bytes: Buffer): OpenFile {
  const refuse = (): Promise<never> => Promise.reject(new Error('A compressed rollout is not written to.'));
  return {
    size: async () => bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
    append: refuse,
    truncate: refuse,
    sync: refuse,
    close: async () => {},
  };
}
