import { basename, dirname, join, resolve } from 'node:path';
import { fileSystem, kindOfEntry } from '../../disk/file-system.ts';
import { realPath } from '../../disk/folders.ts';
import { pathText } from '../../disk/path-bytes.ts';
import { readIfPossible } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

export interface GitDirectory {
  /** Where HEAD is. */
  readonly path: string;
  /** Where branches, packed refs and the configuration are: the same folder, but for linked worktrees. */
  readonly common: string;
  /** `.git` is a file that points here, as in linked worktrees and submodules. */
  readonly isPointedTo: boolean;
}

const pointer = { maxBytes: readLimits.gitPointerBytes };

/** The git folder behind `.git` in the folder, or undefined when there is none that git would take. */
export function findGitDirectory(folder: string): GitDirectory | undefined {
  const entry = join(folder, '.git');
  const kind = kindOfEntry(entry);
  if (kind === 'folder') return gitDirectoryAt(entry, { isPointedTo: false });
  if (kind !== 'file') return undefined;
  const target = pointerTarget(pathIn(entry) ?? '');
  const path = target === undefined ? undefined : leadsTo(folder, target);
  return path === undefined ? undefined : gitDirectoryAt(path, { isPointedTo: true });
}

/** Where the system finds the path, which is not always what its words say: `link/..` is the folder above what it leads to. */
function leadsTo(folder: string, target: string): string | undefined {
  return realPath(target.startsWith('/') ? target : `${folder}/${target}`);
}

/** The text of a file that holds a path, which may not be UTF-8. */
function pathIn(file: string): string | undefined {
  const bytes = readIfPossible(file, pointer);
  return bytes && pathText(bytes);
}

/** As git reads it: to the last sign but for ends of lines. */
function pointerTarget(text: string): string | undefined {
  const key = 'gitdir: ';
  const target = withoutLineEnds(text.slice(key.length));
  return text.startsWith(key) && target !== '' ? target : undefined;
}

function withoutLineEnds(text: string): string {
  return text.replace(/[\r\n]+$/, '');
}

function gitDirectoryAt(path: string, { isPointedTo }: { readonly isPointedTo: boolean }): GitDirectory | undefined {
  // An empty or half-made folder is no repository, and git looks further up.
  if (kindOfEntry(join(path, 'HEAD')) !== 'file') return undefined;
  const shared = withoutLineEnds(pathIn(join(path, 'commondir')) ?? '');
  const common = shared === '' ? path : leadsTo(path, shared);
  return common === undefined ? undefined : { path, common, isPointedTo };
}

/** The main checkout of a linked worktree. Its repository must know the worktree, at this very place: else undefined. */
export function mainCheckout(worktree: string): string | undefined {
  const directory = findGitDirectory(worktree);
  if (directory === undefined || !directory.isPointedTo || directory.common === directory.path) return undefined;
  try {
    const common = fileSystem.realpathSync(directory.common);
    const own = fileSystem.realpathSync(directory.path);
    // What the `.git` file says is a claim; these records cannot be forged without writing into the main repository.
    const isListed = dirname(own) === join(common, 'worktrees');
    const known = pathIn(join(own, 'gitdir'))?.trim();
    if (!isListed || known === undefined || basename(known) !== '.git') return undefined;
    const isHere = fileSystem.realpathSync(dirname(resolve(own, known))) === fileSystem.realpathSync(worktree);
    return isHere && basename(common) === '.git' ? dirname(common) : undefined;
  } catch {
    // A part of the claim leads nowhere.
    return undefined;
  }
}
