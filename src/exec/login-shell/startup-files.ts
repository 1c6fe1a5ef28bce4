import { readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { namesIn, realPlace } from '../../disk/folders.ts';

/** What login shells read on the systems that we know. All of them count for every shell: one often reads another's. */
const ofSystem = [
  '/etc/profile',
  '/etc/bash.bashrc',
  '/etc/bashrc',
  '/etc/zshenv',
  '/etc/zprofile',
  '/etc/zlogin',
  '/etc/zsh/zshenv',
  '/etc/zsh/zprofile',
  '/etc/zsh/zlogin',
  '/etc/paths',
];
const foldersOfSystem = ['/etc/profile.d', '/etc/paths.d'];
const ofUser = ['.profile', '.bash_profile', '.bash_login', '.bashrc'];
const ofZsh = ['.zshenv', '.zprofile', '.zlogin', '.zshrc'];

/** More than any system has: a folder that grew beyond all bounds must not cost time. */
const mostInFolder = 200;

type ShellPlaces = Readonly<Record<'shell' | 'home' | 'zshHome', string>>;

/** The state of every file that decides what a login shell answers. Another state, another answer. */
export function startupFileStates(places: ShellPlaces): readonly string[] {
  return startupFiles(places).map((path) => `${path} ${stateOf(path)}`);
}

export interface WritableStartup {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The first that may be written of what a login shell starts from: its folders, its files, and links to them. */
export function writableStartupFile(
  places: ShellPlaces,
  isWritable: (path: string) => boolean,
): WritableStartup | undefined {
  const folders = [places.home, places.zshHome];
  const path = [...folders, ...startupFiles(places)].find((each) => placesOf(each).some(isWritable));
  return path === undefined ? undefined : { path, isFolder: folders.includes(path) };
}

function startupFiles({ shell, home, zshHome }: ShellPlaces): readonly string[] {
  return [
    shell,
    ...ofSystem,
    ...foldersOfSystem.flatMap(filesIn),
    ...ofUser.map((name) => join(home, name)),
    ...ofZsh.map((name) => join(zshHome, name)),
  ];
}

/** The kernel gives up after as many. */
const mostLinks = 40;

/** The path as it is spelled, and where it and every link behind it stand, what does not exist yet included. */
function placesOf(path: string): readonly string[] {
  const places: string[] = [];
  let next: string | undefined = resolve(path);
  while (next !== undefined && places.length < 2 * mostLinks) {
    const place: string = join(realPlace(dirname(next)), basename(next));
    places.push(next, place);
    next = linkTarget(place);
  }
  return places;
}

function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return undefined;
  }
}

function filesIn(folder: string): readonly string[] {
  const names = namesIn(folder).toSorted().slice(0, mostInFolder);
  return [folder, ...names.map((name) => join(folder, name))];
}

function stateOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    return `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  } catch {
    return 'unreadable';
  }
}
