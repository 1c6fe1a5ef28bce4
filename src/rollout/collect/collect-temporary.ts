import { join } from 'node:path';
import { blobFolders } from '../blobs/blobs-folder.ts';
import { type CollectOptions, graceMs } from './collect-options.ts';
import { dayFolders } from '../find/find-rollout.ts';
import { archiveFolder, sessionsFolder } from '../find/names.ts';

/** Removes files that were never finished. Who is still at work on one has touched it not long ago. */
export async function collectTemporary({
  files,
  home,
  clock,
  dryRun,
}: CollectOptions): Promise<{ readonly files: number; readonly bytes: number }> {
  const folders = [...(await dayFolders(files, sessionsFolder(home), '')), archiveFolder(home), join(home, 'capstan')];
  const listed = await Promise.all(folders.map(async (folder) => ({ folder, names: await files.list(folder) })));
  let [count, bytes] = [0, 0];
  for (const { folder, names } of [...listed, ...(await blobFolders(files, home))]) {
    for (const name of names.filter((one) => one.endsWith('.tmp'))) {
      const path = join(folder, name);
      const facts = await files.describe(path);
      if (facts === undefined || clock.now() - facts.modified < graceMs) continue;
      if (!dryRun) await files.remove(path);
      count += 1;
      bytes += facts.size;
    }
  }
  return { files: count, bytes };
}
