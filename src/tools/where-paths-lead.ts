import { joinPath, parentOf } from '../policy/paths.ts';
import { type Walk, walkPath } from '../policy/walk-path.ts';
import type { PatchSight, PatchView } from '../ports/patch-disk.ts';

export type DiskLook = Pick<PatchView, 'look'>;

/** Where a path leads, its links followed. What is missing is appended as it is spelled. */
export function placeOn(disk: DiskLook, path: string): string {
  const walk = walkOn(disk, path);
  return walk === undefined ? path : walk.rest.reduce(joinPath, walk.at);
}

/** The nearest folder above a path that is missing. Undefined: something stands there. */
export function folderAbove(disk: DiskLook, path: string): string | undefined {
  const walk = walkOn(disk, path);
  return walk?.kind === 'missing' ? parentOf(walk.at) : undefined;
}

/** Undefined: the disk does not let us look. */
function walkOn(disk: DiskLook, path: string): Walk<PatchSight> | undefined {
  try {
    return walkPath((place) => disk.look(place), path, { lastLink: 'followed' });
  } catch {
    return undefined;
  }
}
