import { basename, dirname, join, resolve } from 'node:path';
import { fileSystem } from '../../disk/file-system.ts';
import { findGitDirectory } from './git-directory.ts';
import { readTextIfPossible } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

/**
 * The main checkout that a linked worktree belongs to. Undefined for everything else, and for a folder that only claims
 * to be one: the main repository must know the worktree, at this very place.
 */
export function mainCheckout(worktree: string): string | undefined {
  const directory = findGitDirectory(worktree);
  if (directory === undefined || !directory.isPointedTo || directory.common === directory.path) return undefined;
  try {
    const common = fileSystem.realpathSync(directory.common);
    const own = fileSystem.realpathSync(directory.path);
    // What the `.git` file says is a claim; these records cannot be forged without writing into the main repository.
    const isListed = dirname(own) === join(common, 'worktrees');
    const known = readTextIfPossible(join(own, 'gitdir'), { maxBytes: readLimits.gitPointerBytes })?.trim();
    if (!isListed || known === undefined || basename(known) !== '.git') return undefined;
    const isHere = fileSystem.realpathSync(dirname(resolve(own, known))) === fileSystem.realpathSync(worktree);
    return isHere && basename(common) === '.git' ? dirname(common) : undefined;
  } catch {
    // A part of the claim leads nowhere.
    return undefined;
  }
}
