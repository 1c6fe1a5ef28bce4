import { dirname, sep } from 'node:path';
import { fileSystem, kindOfEntry } from '../../disk/file-system.ts';

/** From the project's root (the nearest folder with a marker) down to the folder; without a marker, that alone. */
export function projectFolders(cwd: string, markers: readonly string[]): readonly string[] {
  const named = markers.filter((marker) => marker !== '');
  const folders: string[] = [];
  for (const folder of folderAndParents(cwd)) {
    folders.unshift(folder);
    if (named.some((marker) => hasProjectMarker(withTrailingSeparator(folder) + marker, marker))) return folders;
  }
  return [cwd];
}

/** Ignores a `.git` folder without `HEAD`: a sandbox may leave an empty one behind for a while. */
export function hasProjectMarker(path: string, marker: string): boolean {
  if (marker !== '.git') return fileSystem.existsSync(path);
  const kind = kindOfEntry(path);
  return kind === 'file' || (kind === 'folder' && fileSystem.existsSync(withTrailingSeparator(path) + 'HEAD'));
}

/** Runs at every start and before every request, where `join` would cost more than the file check. */
export const withTrailingSeparator = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

/** The folder and its parents, nearest first. Keeps links in the path. */
export function* folderAndParents(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}

/** Later folders override earlier ones at the same place, so our own comes last. */
export const projectFolderNames: readonly string[] = ['.codex', '.capstan'];

/** Counts only if the user trusts the project. */
export interface ProjectPart {
  readonly kind: 'config' | 'hooks' | 'rules' | 'skills' | 'agents';
  readonly path: string;
}

const partNames: readonly (readonly [ProjectPart['kind'], string])[] = [
  ['config', 'config.toml'],
  ['hooks', 'hooks.json'],
  ['rules', 'rules'],
  ['skills', 'skills'],
  ['agents', 'agents'],
];

/** Lists everything that a project folder may bring, present or not. `layers`: which of the names count. */
export function projectPartsIn(owner: string, layers: readonly string[] = projectFolderNames): readonly ProjectPart[] {
  return [
    ...layers.flatMap((name) =>
      partNames.map(([kind, file]) => ({ kind, path: `${withTrailingSeparator(owner)}${name}/${file}` })),
    ),
    { kind: 'skills', path: `${withTrailingSeparator(owner)}.agents/skills` },
  ];
}
