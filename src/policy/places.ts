import type { OwnPlaces } from './own-places.ts';

/** Where the symbols of a profile point to on this machine and in this turn. All paths are absolute. */
export interface Places {
  readonly cwd: string;
  /** Without any, the working folder counts as the only root. */
  readonly workspaceRoots: readonly string[];
  /** `$TMPDIR` when it is set. */
  readonly temporaryDirectory?: string;
  /** `/tmp` is a folder here. */
  readonly slashTmp: boolean;
  /** Where `.git` pointer files (worktrees, submodules) lead to. */
  readonly gitDirectories: readonly string[];
  /** Folders on the way to the working folder, itself included, that are repositories. Absent: not looked for. */
  readonly repositories?: readonly string[];
  /** Folders in those that are registered as submodules. */
  readonly submodules?: readonly string[];
  /**
   * Folders that the index of those calls repositories, and that hold none. Git goes into them, and takes an empty `.git`
   * there for a broken one: they are kept whole.
   */
  readonly absentSubmodules?: readonly string[];
  /** Files that the settings of those include. */
  readonly gitIncludes?: readonly string[];
  /** Names in the workspace roots that make a repository for git, without any `.git`: they stay as they are. */
  readonly gitNames?: readonly string[];
  readonly own: OwnPlaces;
  /** Places that a profile may name to be written and that do not exist. Absent: none. */
  readonly missing?: readonly string[];
  /** Where the links of paths that may be written lead, by path. A path that is not in it may lead anywhere. */
  readonly real?: Readonly<Record<string, string>>;
  /** Landlock enforces policies here, because nothing better can and the user agreed. Absent: they are enforced whole. */
  readonly landlock?: true;
}

/** Folders that commands of most profiles can write, wherever they run. `env`: the engine's own. */
export function temporaryFolders(env: { readonly TMPDIR?: string | undefined }): readonly string[] {
  const { TMPDIR: own = '' } = env;
  return own.startsWith('/') && own !== '/tmp' ? ['/tmp', own] : ['/tmp'];
}
