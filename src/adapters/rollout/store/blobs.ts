import type { JournalDisk } from '../../../ports/files.ts';
import type { Clock, IdSource } from '../../../ports/system.ts';
import type { BlobMissing, Blobs, LoadedBlob } from '../../../ports/thread-store.ts';
import { withDiskFaults } from '../files/node-files.ts';
import { readIfThere, createFileAtomically } from '../files/whole-files.ts';
import { compressZstd, decompressZstd } from '../files/zstd.ts';
import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';

export interface BlobsOptions {
  readonly home: string;
  readonly files: JournalDisk;
  readonly ids: IdSource;
  readonly clock: Clock;
  /** Once the blobs take this much space on disk, those kept `within-budget` are no longer written. */
  readonly maxBytes: number;
}

/** Blobs as compressed files, each named by the hash of its content. */
export function createBlobs(options: BlobsOptions): Blobs {
  const { home, files, ids, clock, maxBytes } = options;
  const writing = new Map<string, Promise<void>>();
  const durableFolders = new Set<string>();
  let used = 0;
  /** Scanning all blobs is slow: until it is done, only the blobs of this process count towards the budget. */
  let looked: Promise<void> | undefined;

  function writeOnce(sha256: string, bytes: Uint8Array): Promise<void> {
    const known = writing.get(sha256);
    if (known !== undefined) return known;
    const path = blobPath(home, sha256);
    const written = withDiskFaults('save', path, () => write(path, bytes));
    writing.set(sha256, written);
    // The next caller with the same bytes tries again; only current waiters get the failure.
    written.catch(() => writing.delete(sha256));
    return written;
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const facts = await files.describe(path);
    // Renews its age, so that no collection removes it before the line that refers to it is written.
    if (facts !== undefined) await files.setFacts(path, { ...facts, modified: clock.now() });
    else {
      const packed = await compressZstd(bytes);
      await files.makeDirectory(dirname(path), 0o700);
      await createFileAtomically(files, {
        path,
        temporary: `${path}.${ids.uuid()}.tmp`,
        mode: 0o600,
        content: [packed],
      });
      used += packed.length;
    }
    // A name is durable once its folder and those above it, up to the home, are synced.
    await files.syncDirectory(dirname(path));
    for (let folder = dirname(path); folder !== home; folder = dirname(folder)) {
      if (durableFolders.has(folder)) return;
      await files.syncDirectory(dirname(folder));
      durableFolders.add(folder);
    }
  }

  async function look(): Promise<void> {
    for (const { size } of await findBlobs(files, home)) used += size;
  }

  return {
    keep(bytes, when) {
      const ref = { sha256: hash('sha256', bytes, 'hex'), bytes: bytes.length };
      // A failed scan is ignored: if the folder is unreadable, the write fails too and reports it.
      if (when === 'within-budget') looked ??= look().catch(() => {});
      const kept = when === 'always' || used + bytes.length <= maxBytes;
      return { ref, kept, durable: kept ? writeOnce(ref.sha256, bytes) : Promise.resolve() };
    },
    load: (sha256) => loadBlob(files, home, sha256),
  };
}

/** Outputs of commands and sets of tools are a fraction of this. */
const largestBlob = 256 * 1024 * 1024;

async function loadBlob(files: JournalDisk, home: string, sha256: string): Promise<LoadedBlob | BlobMissing> {
  if (!isBlobName(sha256)) return missing('blob-missing', 'The line names something that is not the hash of a blob.');
  const path = blobPath(home, sha256);
  const packed = await readIfThere(files, path, async (file) => file.read(0, await file.size()));
  if (packed === undefined) return missing('blob-missing', `The blob ${sha256} is not in ${blobsFolder(home)}.`);
  const bytes = await decompressZstd(packed, { maxBytes: largestBlob }).catch(() => undefined);
  if (bytes === undefined || hash('sha256', bytes, 'hex') !== sha256)
    return missing('blob-damaged', `The blob ${sha256} is damaged: the content of ${path} does not match its name.`);
  return { kind: 'blob', bytes };
}

function missing(code: BlobMissing['code'], message: string): BlobMissing {
  const next = 'Restore it from a backup of the home folder. The thread itself is not affected.';
  return { kind: 'missing', code, message, next };
}

const blobsFolder = (home: string): string => join(home, 'capstan', 'blobs');
/** Validates a name from a line: any other text could lead to any file. */
const isBlobName = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
/** Path of a blob: in a folder named by the first two digits of its hash, so that no folder grows too large. */
export const blobPath = (home: string, sha256: string): string =>
  join(blobsFolder(home), sha256.slice(0, 2), `${sha256.slice(2)}.zst`);

export interface FoundBlob {
  readonly sha256: string;
  readonly path: string;
  readonly size: number;
  /** Last time that it was stored or used by a line, in milliseconds since the Unix epoch. */
  readonly used: number;
}

export async function findBlobs(files: JournalDisk, home: string): Promise<readonly FoundBlob[]> {
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

export async function blobFolders(files: JournalDisk, home: string) {
  const root = blobsFolder(home);
  const folders = (await files.list(root)).filter((name) => /^[0-9a-f]{2}$/.test(name)).map((name) => join(root, name));
  return Promise.all(folders.map(async (folder) => ({ folder, names: await files.list(folder) })));
}
