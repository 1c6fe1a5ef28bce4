/** The repositories that git may work in when a rule or an answer lets it. All paths are absolute, without links. */
export interface GitBounds {
  readonly program: string;
  readonly cwd: string;
  /** The top of the checkout, and its git folder. */
  readonly top: string;
  readonly folder: string;
  /** Git folders: of the checkout, and of its submodules. Commands can write none of them. */
  readonly folders: readonly string[];
  /** The git folder that its worktrees share. */
  readonly common: string;
}

/** Makes git itself refuse every other repository, however it would come to it, and whenever that was put there. */
export interface GuardedGit {
  /** What it needs on the disk. Of no use where commands may write there. */
  readonly folder: string;
  /** Undefined: git does not obey, or would not take the repository of the bounds in that folder. */
  guard(bounds: GitBounds, given: Readonly<Record<string, string>>): Promise<GitGuarding | undefined>;
}

export interface GitGuarding {
  /** What git must get beside the given variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Names of the hooks that it would run. */
  readonly hooks: readonly string[];
}
