import { join } from 'node:path';
import type { Files } from '../../ports/files.ts';

export const blobsFolder = (home: string): string => join(home, 'capstan', 'blobs');

/** Whether a text that stands in a line can be the name of a blob. Any other would lead to any file. */
export function isBlobName(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Where a blob lies: in a folder named by the first two digits of its hash, so that no folder grows too large. */
export function blobPath(home: string, sha256: string): string {
  return join(blobsFolder(home), sha256.slice(0, 2), `${sha256.slice(2)}.zst`);
}

export interface FoundBlob {
  readonly sha256: string;
  readonly path: string;
  /** As it lies on the disk, compressed. */
  readonly size: number;
  /** When it was last put there or asked for by a line, in milliseconds since the Unix epoch. */
  readonly used: number;
}

/** All blobs under a home, in no order. */
export async function findBlobs(files: Files, home: string): Promise<readonly FoundBlob[]> {
  const found: FoundBlob[] = [];
  for (const { folder, names } of await blobFolders(files, home)) {
    for (const name of names) {
      const sha256 = `${folder.slice(-2)}${name.slice(0, -'.zst'.length)}`;
      if (!isBlobName(sha256) || !name.endsWith('.zst')) continue;
      const path = join(folder, name);
      const facts = await files.describe(path);
      if (facts !== undefined) found.push({ sha256, path, size: facts.size, used: facts.modified });
    }
  }
  return found;
}

/** The folders that hold blobs, and what is in them. */
export async function blobFolders(
  files: Files,
  home: string,
): Promise<readonly { readonly folder: string; readonly names: readonly string[] }[]> {
  const root = blobsFolder(home);
  const folders = (await files.list(root)).filter((name) => /^[0-9a-f]{2}$/.test(name)).map((name) => join(root, name));
  return Promise.all(folders.map(async (folder) => ({ folder, names: await files.list(folder) })));
}
