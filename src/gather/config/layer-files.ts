import { join } from 'node:path';
import { fileSystem } from '../../disk/file-system.ts';
import { realPath } from '../../disk/folders.ts';
import { projectNames } from '../files/project-folders.ts';
import type { BaseLayers } from './config-layers.ts';

/** The user's own folder has the same name as that of a project. */
export function isOfUser(layer: string, { home, osHome }: BaseLayers): boolean {
  const own = [home, ...projectNames.map((name) => join(osHome, name))];
  const real = realPath(layer);
  return own.some((folder) => folder === layer || (real !== undefined && realPath(folder) === real));
}

/** What cannot be looked at counts as there, so that reading it says why. */
export function isThere({ path }: { readonly path: string }): boolean {
  try {
    return fileSystem.statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
