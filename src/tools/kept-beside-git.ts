import { joinPath, parentOf } from '../policy/paths.ts';
import { namesKeptAnywhere, protectedNames } from '../policy/protected-names.ts';
import type { DiskLook } from './where-paths-lead.ts';

/** Folders on the way to a path that stand, or would stand, beside a `.git` and decide what programs do there. */
export function keptBesideGit(disk: DiskLook, path: string): readonly string[] {
  const kept: string[] = [];
  for (let place = path; place !== '/'; place = parentOf(place)) {
    if (isNamedSo(place) && namesKeptAnywhere.some((name) => isThere(disk, joinPath(parentOf(place), name)))) {
      kept.push(place);
    }
  }
  return kept;
}

function isNamedSo(path: string): boolean {
  return protectedNames.some((name) => !namesKeptAnywhere.includes(name) && path.endsWith(`/${name}`));
}

function isThere(disk: DiskLook, path: string): boolean {
  try {
    return disk.look(path).kind !== 'missing';
  } catch {
    return true;
  }
}
