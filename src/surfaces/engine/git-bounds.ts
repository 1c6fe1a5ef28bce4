import { lookAt } from '../../disk/file-system.ts';
import { realPath } from '../../disk/folders.ts';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import { findGitDirectory } from '../../gather/git/git-directory.ts';
import { linkedFolders } from '../../gather/git/linked-folders.ts';
import { findProgram } from '../../policy/find-program.ts';
import { isWithin } from '../../policy/paths.ts';
import { repositoryAbove } from '../../policy/repository-sight.ts';
import type { GitBounds } from '../../ports/guarded-git.ts';

/** The repository of a folder and its own submodules. Undefined: there is none, or no git that commands cannot have written. */
export function gitBounds({
  cwd,
  programs,
  env,
}: {
  readonly cwd: string;
  /** Those of the command that no command can have written. */
  readonly programs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}): GitBounds | undefined {
  if (!programs.includes('git')) return undefined;
  const search = { name: 'git', prefer: 'caller', path: env['PATH'] ?? '', writable: [] } as const;
  const program = findProgram(search, nodeProgramFiles);
  const top = repositoryAbove(cwd, lookAt);
  const own = top === undefined ? undefined : findGitDirectory(top);
  if (program === undefined || top === undefined || own === undefined) return undefined;
  const [path, common] = [realPath(own.path), realPath(own.common)];
  if (path === undefined || common === undefined) return undefined;
  const linked = linkedFolders(top).folders.map(({ directory }) => directory && realPath(directory.path));
  // A submodule has its git folder in that of its repository; where it is, commands do not write.
  const inside = linked.filter((folder) => folder !== undefined && isWithin(folder, common));
  const folders = [path, common, ...inside].filter((folder) => folder !== undefined && !folder.includes('\n'));
  return { program, cwd, top, folders: folders as string[], common };
}
