import { dirname, sep } from 'node:path';
import { fileSystem, kindOfEntry } from '../../disk/file-system.ts';

/** From the project's root, the nearest folder with a marker, down to the folder; without one, that folder alone. */
export function projectFolders(cwd: string, markers: readonly string[]): readonly string[] {
  const named = markers.filter((marker) => marker !== '');
  const folders: string[] = [];
  for (const folder of ancestors(cwd)) {
    folders.unshift(folder);
    if (named.some((marker) => isMarked(inside(folder) + marker, marker))) return folders;
  }
  return [cwd];
}

/** An empty `.git`, which a sandbox may leave behind for a while, makes no project of the folders below it. */
export function isMarked(path: string, marker: string): boolean {
  if (marker !== '.git') return fileSystem.existsSync(path);
  const kind = kindOfEntry(path);
  return kind === 'file' || (kind === 'folder' && fileSystem.existsSync(inside(path) + 'HEAD'));
}

/** What a name is added to. This runs at every start and before every request, and `join` costs more than the look. */
export function inside(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** The folder and all above it, nearest first. Links in the path are kept. */
export function* ancestors(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}
