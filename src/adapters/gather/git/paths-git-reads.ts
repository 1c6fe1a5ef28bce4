import { join, resolve } from 'node:path';
import { namesIn } from '../../disk/file-system.ts';
import { findGitDirectory, repositorySettings, userGitSettings } from './repository.ts';

export interface GitReadOptions {
  /** Variables that git will have. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All repositories in the checkout. Git goes into those of its index, and a command of git may put any of them there. */
  readonly nested: readonly string[];
}

/**
 * What git may take programs from when it works in the repository of a folder: settings of the user and the machine, what
 * they include, hooks, and the same of the repositories below it. What is named need not exist. `unseen`: settings that
 * could not be read, so that anything may be named there.
 */
export function pathsGitReads(
  folder: string,
  { env, nested }: GitReadOptions,
): readonly string[] | { readonly unseen: string } {
  const all = [...new Set([folder, ...nested])].map((at) => ({ at, directory: findGitDirectory(at) }));
  const repositories = all.flatMap(({ at, directory }) =>
    directory === undefined ? [] : { at, directory, settings: repositorySettings(directory, env['HOME']) },
  );
  // What only git takes for a repository, or has another form, is not looked into: all of it counts.
  const unknown = all.flatMap(({ at, directory }) => (directory === undefined ? [at] : []));
  const settings = [userGitSettings(env, folder), ...repositories.map((each) => each.settings)];
  const unseen = settings.find(({ unread }) => unread !== undefined)?.unread;
  if (unseen !== undefined) return { unseen };
  // A folder of hooks is named from the top of the checkout.
  const named = settings.flatMap(({ hooks }) => repositories.map(({ at }) => hooks.map((path) => resolve(at, path))));
  const folders = [...named.flat(), ...repositories.map(({ directory }) => join(directory.common, 'hooks'))];
  // Each hook may be a link of its own.
  const hooks = [...new Set(folders)].flatMap((at) => [at, ...namesIn(at).map((name) => join(at, name))]);
  const own = repositories.flatMap(({ directory: { path, common } }) => [path, common]);
  return [...new Set([...settings.flatMap(({ files }) => files), ...hooks, ...own, ...unknown])];
}
