import { join } from 'node:path';
import { kindOfEntry } from '../../disk/file-system.ts';
import { namesIn } from '../../disk/folders.ts';
import { isOutOfSight, isOverlong } from '../../disk/overlong-path.ts';
import { descend } from '../../policy/paths.ts';
import { findGitDirectory, type GitDirectory } from './git-directory.ts';
import { readGitlinks } from './gitlinks.ts';

/** A folder that the index of a repository calls another repository. */
export interface LinkedFolder {
  readonly folder: string;
  /** Absent: nothing that git takes for a repository stands there. */
  readonly directory?: GitDirectory;
  /** It has a `.git` that is not empty: sandboxes make empty ones to mount on. */
  readonly isCheckedOut: boolean;
}

export interface LinkedFolders {
  readonly folders: readonly LinkedFolder[];
  /** All were found. */
  readonly isWhole: boolean;
  /** One that is not among them: its path is too long to protect, or cannot be looked at. */
  readonly unseen?: string;
}

const mostFolders = 500;
const mostDepth = 8;

/** The folders into which git goes when it looks at the repository: those of its index, and those of theirs. */
export function linkedFolders(repository: string): LinkedFolders {
  const folders: LinkedFolder[] = [];
  let isWhole = true;
  let unseen: string | undefined;
  const follow = (folder: string, directory: GitDirectory | undefined, depth: number): void => {
    const links = directory === undefined ? [] : readGitlinks(directory);
    if (links === undefined || (links.length > 0 && depth > mostDepth)) {
      isWhole = false;
      return;
    }
    for (const link of links) {
      const linked = descend(folder, link);
      if (linked === undefined || linked === folder) continue;
      if (folders.length >= mostFolders) {
        isWhole = false;
        return;
      }
      const git = join(linked, '.git');
      if (isOverlong(linked) || isOutOfSight(git)) {
        unseen ??= linked;
        isWhole = false;
        continue;
      }
      const inner = findGitDirectory(linked);
      const kind = kindOfEntry(git);
      const isCheckedOut = kind === 'folder' ? namesIn(git).length > 0 : kind !== 'missing';
      folders.push({ folder: linked, isCheckedOut, ...(inner === undefined ? {} : { directory: inner }) });
      follow(linked, inner, depth + 1);
    }
  };
  follow(repository, findGitDirectory(repository), 1);
  return { folders, isWhole, ...(unseen === undefined ? {} : { unseen }) };
}
