import type { Config } from '../../config/config.ts';
import { decideTrust, type TrustDecision } from '../../config/trust.ts';
import { realPath } from '../../disk/folders.ts';
import { findRepository } from '../git/git.ts';
import { mainCheckout } from '../git/git-directory.ts';
import { defined } from '../../protocol/defined.ts';
import { projectFolders } from '../files/project-folders.ts';
import { changedConfiguration } from './landlock-record.ts';

/**
 * What is decided about a folder: by its own entry, else by that of its project's root, else by that of its repository,
 * else by that of the main checkout of a linked worktree. A folder is looked up as it is written and with its links
 * resolved; the links of the entries are not resolved, since a program that can move them could lend their trust.
 * Trust does not cover what commands under Landlock may have written into the folder since: `home` has the record.
 */
export function findTrust(
  folder: string,
  { projects, projectRootMarkers }: Pick<Config, 'projects' | 'projectRootMarkers'>,
  home: string,
): TrustDecision {
  // Most users have decided nothing, and then there is nothing to look for.
  if (Object.keys(projects).length === 0) return { trust: 'unknown' };
  for (const { candidate, link } of candidates(folder, projectRootMarkers)) {
    const decision = decideTrust(projects, [candidate, realPath(candidate) ?? candidate]);
    if (decision.trust === 'unknown') continue;
    if (decision.trust === 'untrusted') return decision;
    const through = defined({ link });
    const changed = changedConfiguration(home, { owner: folder, ...through });
    return { ...decision, ...through, ...(changed && { trust: 'unknown', ...changed }) };
  }
  return { trust: 'unknown' };
}

function* candidates(
  folder: string,
  markers: readonly string[],
): Generator<{ readonly candidate: string; readonly link?: string }> {
  yield { candidate: folder };
  const [root = folder] = projectFolders(folder, markers);
  yield { candidate: root };
  const repository = findRepository(folder);
  if (repository === undefined) return;
  yield { candidate: repository };
  const main = mainCheckout(repository);
  if (main !== undefined) yield { candidate: main, link: repository };
}
