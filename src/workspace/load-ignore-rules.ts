import { dirname, join, resolve } from 'node:path';
import { ancestors } from '../gather/files/project-folders.ts';
import { gitConfigValue } from '../gather/git/git-config.ts';
import { findGitDirectory } from '../gather/git/git-directory.ts';
import { findRepository } from '../gather/git/git.ts';
import { type BoundedReading, readTextIfPossible } from '../disk/read-bounded.ts';
import { readLimits } from '../gather/files/read-limits.ts';
import { isWithin } from '../policy/paths.ts';
import { type IgnoreRules, isIgnored, mostIgnoreBytes, nothingIgnored, withIgnoreFile } from './ignore-rules.ts';

export interface UserPlaces {
  readonly osHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The ignore rules that hold in a folder before its own file is read: the user's, the repository's own, and those of
 * the folders above it. None where the folder is itself ignored: a user who works there means what is in it.
 */
export function loadIgnoreRules(
  root: string,
  user: UserPlaces,
  { denies }: Required<Pick<BoundedReading, 'denies'>>,
): IgnoreRules {
  const withText = (rules: IgnoreRules, folder: string, file: string): IgnoreRules => {
    const text = readTextIfPossible(file, { maxBytes: mostIgnoreBytes, denies });
    return text === undefined ? rules : withIgnoreFile(rules, folder, text);
  };
  const top = findRepository(root) ?? root;
  let rules = withText(nothingIgnored, top, userExcludes(user));
  const directory = findGitDirectory(top);
  if (directory !== undefined) rules = withText(rules, top, join(directory.common, 'info', 'exclude'));
  const between = [...ancestors(root)].filter((folder) => folder !== root && isWithin(folder, top)).toReversed();
  for (const folder of between) rules = withText(rules, folder, join(folder, '.gitignore'));
  const trail = [...between, root].filter((folder) => folder !== top);
  return trail.some((folder) => isIgnored(rules, folder, 'folder')) ? nothingIgnored : rules;
}

/** What git calls `core.excludesFile`. */
function userExcludes({ osHome, env }: UserPlaces): string {
  const shared = env['XDG_CONFIG_HOME'] ?? '';
  const folder = join(shared === '' ? join(osHome, '.config') : shared, 'git');
  for (const file of [join(osHome, '.gitconfig'), join(folder, 'config')]) {
    const text = readTextIfPossible(file, { maxBytes: readLimits.gitConfigBytes });
    const named = gitConfigValue(text ?? '', { section: 'core', key: 'excludesfile' });
    if (named !== undefined && named !== '') return resolve(dirname(file), named.replace(/^~(?=\/)/, osHome));
  }
  return join(folder, 'ignore');
}
