import { lookAt, realPath } from '../../adapters/disk/file-system.ts';
import { nodeProgramFiles } from '../../adapters/disk/node-program-files.ts';
import { findGitDirectory } from '../../adapters/gather/git/repository.ts';
import { linkedFolders } from '../../adapters/gather/git/submodules.ts';
import { findProgram } from '../../core/policy/environment/find-program.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { nearestRepository } from '../../core/policy/git/inspect-repository.ts';
import type { GitBounds } from '../../ports/workspace.ts';

/** The repository of a folder and its own submodules. Undefined: none, or no git that commands cannot have written. */
export function gitBounds(
  cwd: string,
  settled: readonly string[],
  env: Readonly<Record<string, string>>,
): GitBounds | undefined {
  if (!settled.includes('git')) return undefined;
  const search = { name: 'git', prefer: 'caller', path: env['PATH'] ?? '', writable: [] } as const;
  const program = findProgram(search, nodeProgramFiles);
  const top = nearestRepository(cwd, lookAt);
  const own = top === undefined ? undefined : findGitDirectory(top);
  if (program === undefined || top === undefined || own === undefined) return undefined;
  const [path, common] = [realPath(own.path), realPath(own.common)];
  if (path === undefined || common === undefined) return undefined;
  const linked = linkedFolders(top).folders.map(({ directory }) => directory && realPath(directory.path));
  // A submodule has its git folder inside that of its repository; commands do not write there.
  const inside = linked.filter((folder) => folder !== undefined && isWithin(folder, common));
  const folders = [path, common, ...inside].filter((folder) => folder !== undefined && !folder.includes('\n'));
  return { program, cwd, top, folders: folders as string[], common };
}
