import { dirname, sep } from 'node:path';
import type { Files } from '../../ports/files.ts';

export interface SafeNames {
  readonly files: Files;
  /** Absolute. Folders from here down must sync; those above it are not ours, and do as far as we are let. */
  readonly home: string;
  /** Names of folders that are known to survive a crash. Shared by all files of a store, and added to. */
  readonly durableFolders: Set<string>;
}

/** A name lasts when its folder is synced, and the folder's own name when the folder above is, up to the root. */
export async function makeNameSafe({ files, home, durableFolders }: SafeNames, path: string): Promise<void> {
  const isDurable = (folder: string): boolean => durableFolders.has(folder) || files.isOld?.(folder) === true;
  const names = [path, ...ancestors(path).filter((folder) => !isDurable(folder))];
  const folders = names.map((name) => dirname(name));
  // Folders above the home are mostly old and often not readable for us.
  const isOurs = (folder: string): boolean => folder === home || folder.startsWith(home + sep);
  const sync = (folder: string): Promise<void> => files.syncDirectory(folder);
  await allEnded(folders.map((folder) => (isOurs(folder) ? sync(folder) : sync(folder).catch(() => undefined))));
  for (const name of names) if (name !== path) durableFolders.add(name);
}

/** All must have ended before the caller acts on the failure of one. */
export async function allEnded(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The folders above a path that have a name, so without the root. */
function ancestors(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) found.push(at);
  return found;
}
