/** The repositories that git may work in once it has left the sandbox. All paths are absolute, without links. */
export interface GitBounds {
  readonly program: string;
  readonly cwd: string;
  /** The top of the checkout. */
  readonly top: string;
  /** Git folders: of the checkout, and of its submodules. Commands can write none of them. */
  readonly folders: readonly string[];
  /** The git folder that its worktrees share. */
  readonly common: string;
}

/** Makes git itself refuse every other repository, however it would come to it, and whenever that was put there. */
export interface GuardedGit {
  /** What it needs on the disk. Of no use where commands may write there. */
  readonly folder: string;
  /**
   * Variables that git must get beside the given ones. Undefined: git does not obey them, or would not take the
   * repository of the bounds in that folder.
   */
  variables(
    bounds: GitBounds,
    given: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>> | undefined>;
}
