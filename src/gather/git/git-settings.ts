import { dirname, join, resolve } from 'node:path';
import { readBounded } from '../../disk/read-bounded.ts';
import { defined } from '../../protocol/defined.ts';
import { readLimits } from '../files/read-limits.ts';
import { gitConfigEntries } from './git-config.ts';
import type { GitDirectory } from './git-directory.ts';

/** What git takes settings from. Paths are absolute; what they name need not exist. */
export interface GitSettings {
  /** Files, with those that they include. */
  readonly files: readonly string[];
  /** Folders of hooks that settings name, as they are written. */
  readonly hooks: readonly string[];
  /** A place of settings that was not read, so that what it names is not known. Absent: all were. */
  readonly unread?: string;
}

/** Git gives up after as many files that include each other. */
const mostDepth = 10;
const mostFiles = 100;

/** Those of one repository. */
export function repositorySettings({ path, common }: GitDirectory, home: string | undefined): GitSettings {
  return settingsFrom([join(common, 'config'), join(path, 'config.worktree')], home);
}

/** Those of the user and of the machine, for git that runs in the folder: a path that is not absolute begins there. */
export function userGitSettings(env: Readonly<Record<string, string | undefined>>, folder: string): GitSettings {
  const { HOME: home, XDG_CONFIG_HOME: configHome, GIT_CONFIG_GLOBAL: chosen, GIT_CONFIG_SYSTEM: machine } = env;
  const ofHome =
    home === undefined ? [] : [join(home, '.gitconfig'), join(configHome || `${home}/.config`, 'git/config')];
  const all = [machine ?? '/etc/gitconfig', ...(chosen === undefined ? ofHome : [chosen])];
  const found = settingsFrom(
    all.filter((file) => file !== '').map((file) => resolve(folder, file)),
    home,
  );
  // Settings that stand in variables themselves.
  const given = ['GIT_CONFIG_PARAMETERS', 'GIT_CONFIG_COUNT'].find((name) => (env[name] ?? '') !== '');
  return given === undefined ? found : { ...found, unread: given };
}

function settingsFrom(roots: readonly string[], home: string | undefined): GitSettings {
  const files = new Set<string>();
  const hooks: string[] = [];
  let unread: string | undefined;
  const add = (file: string, depth: number): void => {
    if (files.has(file)) return;
    if (depth > mostDepth || files.size >= mostFiles) {
      unread ??= file;
      return;
    }
    files.add(file);
    const read = readBounded(file, { maxBytes: readLimits.gitConfigBytes });
    if (read.kind === 'unread') unread ??= file;
    const text = read.kind === 'read' ? read.bytes.toString('utf8') : '';
    for (const { section, key, value } of gitConfigEntries(text)) {
      if (section === 'core' && key === 'hookspath') hooks.push(inHome(value, home));
      // Whether a condition holds may change until git looks.
      const isInclude = section.startsWith('include') && key === 'path';
      // Homes of other users, and the folder that git was installed in.
      if (isInclude && /^(?:~[^/]|%)/.test(value)) unread ??= file;
      if (isInclude) add(resolve(dirname(file), inHome(value, home)), depth + 1);
    }
  };
  for (const file of roots) add(file, 0);
  return { files: [...files], hooks, ...defined({ unread }) };
}

function inHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
