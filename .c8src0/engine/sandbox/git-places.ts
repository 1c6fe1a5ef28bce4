import { inspectEntry, listFolderNames, realPath } from '../../adapters/disk/file-system.ts';
import { nodeProgramFiles } from '../../adapters/disk/node-program-files.ts';
import { findGitDirectory, repositoryGitSettings, userGitSettings } from '../../adapters/gather/git/repository.ts';
import { findNestedRepositories } from '../../adapters/gather/git/submodules.ts';
import { findProgram } from '../../core/policy/environment/find-program.ts';
import { nearestRepository } from '../../core/policy/git/inspect-repository.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import type { AllowedRepositories } from '../../ports/workspace.ts';
import { join, resolve } from 'node:path';

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
    directory === undefined ? [] : { at, directory, settings: repositoryGitSettings(directory, env['HOME']) },
  );
  // A repository in a form that is not understood here counts as a whole.
  const unknown = all.flatMap(({ at, directory }) => (directory === undefined ? [at] : []));
  const settings = [userGitSettings(env, folder), ...repositories.map((each) => each.settings)];
  const unseen = settings.find(({ unread }) => unread !== undefined)?.unread;
  if (unseen !== undefined) return { unseen };
  // A hooks folder is relative to the top of the checkout.
  const named = settings.flatMap(({ hooks }) => repositories.map(({ at }) => hooks.map((path) => resolve(at, path))));
  const folders = [...named.flat(), ...repositories.map(({ directory }) => join(directory.common, 'hooks'))];
  const hooks = [...new Set(folders)].flatMap((at) => [at, ...listFolderNames(at).map((name) => join(at, name))]);
  const own = repositories.flatMap(({ directory: { path, common } }) => [path, common]);
  return [...new Set([...settings.flatMap(({ files }) => files), ...hooks, ...own, ...unknown])];
}

/** The repository of a folder and its own submodules. Undefined: none, or no git that commands cannot have written. */
export function gitBounds(
  cwd: string,
  settled: readonly string[],
  env: Readonly<Record<string, string>>,
): AllowedRepositories | undefined {
  if (!settled.includes('git')) return undefined;
  const search = { name: 'git', prefer: 'caller', path: env['PATH'] ?? '', writable: [] } as const;
  const program = findProgram(search, nodeProgramFiles);
  const top = nearestRepository(cwd, inspectEntry);
  const own = top === undefined ? undefined : findGitDirectory(top);
  if (program === undefined || top === undefined || own === undefined) return undefined;
  const [path, common] = [realPath(own.path), realPath(own.common)];
  if (path === undefined || common === undefined) return undefined;
  const linked = findNestedRepositories(top).folders.map(({ directory }) => directory && realPath(directory.path));
  // A submodule has its git folder inside that of its repository; commands do not write there.
  const inside = linked.filter((folder) => folder !== undefined && isWithin(folder, common));
  const folders = [path, common, ...inside].filter((folder) => folder !== undefined && !folder.includes('\n'));
  return { program, cwd, top, folders: folders as string[], common };
}
