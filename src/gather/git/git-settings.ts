import { dirname, join, resolve } from 'node:path';
import { readBounded } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';
import { gitConfigEntries } from './git-config.ts';
import type { GitDirectory } from './git-directory.ts';

/** What git takes settings from. Paths are absolute; what they name need not exist. */
export interface GitSettings {
  /** Files, with those that they include. */
  readonly files: readonly string[];
  /** Folders of hooks that settings name, as they are written. */
  readonly hooks: readonly string[];
}

/** Git gives up after as many files that include each other. */
const mostDepth = 10;
const mostFiles = 100;

/** Those of one repository. */
export function repositorySettings({ path, common }: GitDirectory, home: string | undefined): GitSettings {
  return settingsFrom([join(common, 'config'), join(path, 'config.worktree')], home);
}

/** Those of the user and of the machine. */
export function userGitSettings(env: Readonly<Record<string, string | undefined>>): GitSettings {
  const { HOME: home, XDG_CONFIG_HOME: configHome, GIT_CONFIG_GLOBAL: chosen, GIT_CONFIG_SYSTEM: machine } = env;
  const ofHome =
    home === undefined ? [] : [join(home, '.gitconfig'), join(configHome ?? `${home}/.config`, 'git/config')];
  const all = [machine ?? '/etc/gitconfig', ...(chosen === undefined ? ofHome : [chosen])];
  return settingsFrom(
    all.filter((file) => file.startsWith('/')),
    home,
  );
}

function settingsFrom(roots: readonly string[], home: string | undefined): GitSettings {
  const files = new Set<string>();
  const hooks: string[] = [];
  const add = (file: string, depth: number): void => {
    if (files.has(file) || depth > mostDepth || files.size >= mostFiles) return;
    files.add(file);
    const read = readBounded(file, { maxBytes: readLimits.gitConfigBytes });
    const text = read.kind === 'read' ? read.bytes.toString('utf8') : '';
    for (const { section, key, value } of gitConfigEntries(text)) {
      if (section === 'core' && key === 'hookspath') hooks.push(inHome(value, home));
      // Whether a condition holds may change until git looks.
      if (section.startsWith('include') && key === 'path') add(resolve(dirname(file), inHome(value, home)), depth + 1);
    }
  };
  for (const file of roots) add(file, 0);
  return { files: [...files], hooks };
}

function inHome(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
