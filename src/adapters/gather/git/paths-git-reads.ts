import { join, resolve } from 'node:path';
import { namesIn } from '../../disk/file-system.ts';
import { findGitDirectory, repositorySettings, userGitSettings } from './repository.ts';

export interface GitReadOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All repositories in the checkout. Git enters those of its index, and a git command may add any of them to it. */
  readonly nested: readonly string[];
}

/**
 * Paths from which git may take programs in a folder's repository and those below it: settings of the user and the
 * machine, their includes, and hooks. They need not exist. `unseen`: settings that could not be read, so they may name
 * anything.
 */
export function pathsGitReads(folder: string, { env, nested }: GitReadOptions) {
  const all = [...new Set([folder, ...nested])].map((at) => ({ at, directory: findGitDirectory(at) }));
  const repositories = all.flatMap(({ at, directory }) =>
    directory === undefined ? [] : { at, directory, settings: repositorySettings(directory, env['HOME']) },
  );
  // A repository in a form that is not understood here counts as a whole.
  const unknown = all.flatMap(({ at, directory }) => (directory === undefined ? [at] : []));
  const settings = [userGitSettings(env, folder), ...repositories.map((each) => each.settings)];
  const unseen = settings.find(({ unread }) => unread !== undefined)?.unread;
  if (unseen !== undefined) return { unseen };
  // A hooks folder is relative to the top of the checkout.
  const named = settings.flatMap(({ hooks }) => repositories.map(({ at }) => hooks.map((path) => resolve(at, path))));
  const folders = [...named.flat(), ...repositories.map(({ directory }) => join(directory.common, 'hooks'))];
  const hooks = [...new Set(folders)].flatMap((at) => [at, ...namesIn(at).map((name) => join(at, name))]);
  const own = repositories.flatMap(({ directory: { path, common } }) => [path, common]);
  return [...new Set([...settings.flatMap(({ files }) => files), ...hooks, ...own, ...unknown])];
}
