import { join, resolve } from 'node:path';
import { findGitDirectory } from './git-directory.ts';
import { repositorySettings, userGitSettings } from './git-settings.ts';
import { linkedFolders } from './linked-folders.ts';

export interface GitReading {
  /** Variables that git will have. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Repositories in the checkout that may be in the index before git looks. */
  readonly nested: readonly string[];
}

/**
 * What git may take programs from when it looks at the repository in a folder: settings of the user and the machine, what
 * they include, folders of hooks, and the same of the repositories that its index leads to. What is named need not exist.
 * Undefined: more than can be looked at.
 */
export function gitReads(folder: string, { env, nested }: GitReading): readonly string[] | undefined {
  const { folders, isWhole } = linkedFolders(folder);
  if (!isWhole) return undefined;
  const all = [folder, ...folders.map((linked) => linked.folder), ...nested];
  const repositories = [...new Set(all)].flatMap((at) => {
    const directory = findGitDirectory(at);
    return directory === undefined ? [] : { at, directory, settings: repositorySettings(directory, env['HOME']) };
  });
  const settings = [userGitSettings(env), ...repositories.map((each) => each.settings)];
  // A folder of hooks is named from the top of the checkout.
  const named = settings.flatMap(({ hooks }) => repositories.map(({ at }) => hooks.map((path) => resolve(at, path))));
  const own = repositories.flatMap(({ directory: { path, common } }) => [path, common, join(common, 'hooks')]);
  return [...new Set([...settings.flatMap(({ files }) => files), ...named.flat(), ...own])];
}
