import type { Config } from '../../config/config.ts';
import { decideTrust, type TrustDecision } from '../../config/trust.ts';
import { realPath } from '../../disk/folders.ts';
import { findRepository } from '../git/git.ts';
import { mainCheckout } from '../git/git-directory.ts';
import { projectFolders } from '../files/project-folders.ts';

/**
 * What is decided about a folder: by its own entry, else by that of its project's root, else by that of its repository,
 * else by that of the main checkout of a linked worktree. A folder is looked up as it is written and with its links
 * resolved; the links of the entries are not resolved, since a program that can move them could lend their trust.
 */
export function findTrust(
  folder: string,
  { projects, projectRootMarkers }: Pick<Config, 'projects' | 'projectRootMarkers'>,
): TrustDecision {
  // Most users have decided nothing, and then there is nothing to look for.
  if (Object.keys(projects).length === 0) return { trust: 'unknown' };
  for (const candidate of candidates(folder, projectRootMarkers)) {
    const decision = decideTrust(projects, [candidate, realPath(candidate) ?? candidate]);
    if (decision.trust !== 'unknown') return decision;
  }
  return { trust: 'unknown' };
}

function* candidates(folder: string, markers: readonly string[]): Generator<string> {
  yield folder;
  const [root = folder] = projectFolders(folder, markers);
  yield root;
  const repository = findRepository(folder);
  if (repository === undefined) return;
  yield repository;
  const main = mainCheckout(repository);
  if (main !== undefined) yield main;
}
