import type { GitSights } from './snapshots.ts';

/** Knows where repositories stand below what commands may write, so that a sandbox can keep commands from them. */
export interface GitGuard {
  /**
   * What commands must not change, as the last look found it: git folders, git files, what those lead to, and the other
   * protected names beside them.
   */
  readonly current: readonly string[];
  /** Protected names that these repositories do not have. Patches must not make them; a sandbox cannot close them all. */
  readonly missing: readonly string[];
  /** Looks again. Bounded in entries and time; never rejects. */
  look(request: GitLookRequest, signal: AbortSignal): Promise<GitLook>;
  /** The same without a consequence: what must not be changed stays as it is. */
  find(request: GitLookRequest, signal: AbortSignal): Promise<GitLook>;
}

export interface GitLookRequest {
  /** Writable folders below which git folders are protected. */
  readonly roots: readonly string[];
  /** What a snapshot has seen of one of them: that need not be walked again. */
  readonly seen?: { readonly root: string; readonly git: GitSights };
  /** Places that are not looked into. */
  denies(path: string): boolean;
}

export interface GitLook {
  /** Folders that git takes for repositories, bare ones included. */
  readonly repositories: readonly string[];
  /** Protected names in them, besides git's own, that hold something. */
  readonly settings: readonly string[];
  /** Folders that there was no time for, too many, or no way to list. Empty: everything was seen. */
  readonly unseen: readonly string[];
}
