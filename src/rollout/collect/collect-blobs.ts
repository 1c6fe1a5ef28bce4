import { dirname } from 'node:path';
import type { ThreadId } from '../../protocol/ids.ts';
import { findBlobs, type FoundBlob } from '../blobs/blobs-folder.ts';
import { type CollectOptions, graceMs } from './collect-options.ts';
import type { References } from './collect-references.ts';

export interface CollectedBlobs {
  /** Blobs that nothing referred to. */
  readonly unreferred: number;
  /** Outputs that threads refer to and that had to go because of the budget, oldest first. */
  readonly overBudget: readonly { readonly sha256: string; readonly threads: readonly ThreadId[] }[];
  readonly freedBytes: number;
  readonly keptBytes: number;
}

/** Without references nothing is known to be of no use, and nothing goes. */
export async function collectBlobs(
  options: CollectOptions,
  references: Pick<References, 'blobs'> | undefined,
): Promise<CollectedBlobs> {
  const { files, home, clock, maxBlobBytes } = options;
  const now = clock.now();
  const found = (await findBlobs(files, home)).toSorted((one, other) => one.used - other.used);
  let keptBytes = found.reduce((sum, { size }) => sum + size, 0);
  let freedBytes = 0;
  if (references === undefined) return { unreferred: 0, overBudget: [], freedBytes, keptBytes };

  const remove = async (blob: FoundBlob): Promise<boolean> => {
    if (!(await removeBlob(options, blob))) return false;
    keptBytes -= blob.size;
    freedBytes += blob.size;
    return true;
  };

  let unreferred = 0;
  const old = found.filter(({ used }) => now - used >= graceMs);
  for (const blob of old) if (!references.blobs.has(blob.sha256) && (await remove(blob))) unreferred += 1;
  const overBudget: { sha256: string; threads: readonly ThreadId[] }[] = [];
  for (const blob of old) {
    const use = references.blobs.get(blob.sha256);
    if (keptBytes <= maxBlobBytes) break;
    if (use === undefined || use.needed || !(await remove(blob))) continue;
    overBudget.push({ sha256: blob.sha256, threads: [...use.threads] });
  }
  return { unreferred, overBudget, freedBytes, keptBytes };
}

/** Unless it was used since it was found. */
async function removeBlob({ files, dryRun }: CollectOptions, { path, used }: FoundBlob): Promise<boolean> {
  if ((await files.describe(path))?.modified !== used) return false;
  if (dryRun) return true;
  await files.remove(path);
  await files.syncDirectory(dirname(path));
  return true;
}
