import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

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

/** The state of every file that decides what a login shell answers. Another state, another answer. */
export function startupFileStates({ shell, home, zshHome }: Readonly<Record<'shell' | 'home' | 'zshHome', string>>) {
  const files = [
    shell,
    ...ofSystem,
    ...foldersOfSystem.flatMap(filesIn),
    ...ofUser.map((name) => join(home, name)),
    ...ofZsh.map((name) => join(zshHome, name)),
  ];
  return files.map((path) => `${path} ${stateOf(path)}`);
}

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).toSorted().slice(0, mostInFolder);
    return [folder, ...names.map((name) => join(folder, name))];
  } catch {
    return [folder];
  }
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
