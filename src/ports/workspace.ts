import type { Outcome } from '../protocol/outcome.ts';

/** Copies of a workspace as it is at a moment, from which its files can be brought back. */
export interface Snapshots {
  /**
   * What stands in the workspace when nothing changes it until the promise resolves. Never rejects: what keeps a
   * snapshot from being taken is no reason to stop a turn. Ends soon when the signal aborts, with `missing`; with the
   * reason `snapshotNotNeeded` what was learnt so far is thrown away.
   */
  take(request: SnapshotRequest, signal: AbortSignal): Promise<Snapshot>;
}

export const snapshotNotNeeded = 'not needed';

export interface SnapshotRequest {
  /** The workspace's folder. */
  readonly root: string;
  /** Places that no command may read: no copy of them is made. */
  denies(path: string): boolean;
  /** An earlier snapshot, and what calls did since: then the result separates their work from others'. */
  readonly since?: { readonly snapshot: SnapshotTaken; readonly touched: readonly TouchedFiles[] };
}

export type Snapshot = SnapshotTaken | { readonly kind: 'missing'; readonly root: string; readonly outcome: Outcome };

export interface SnapshotTaken {
  readonly kind: 'taken';
  /** Without links in it. */
  readonly root: string;
  /** The name of everything in it. */
  readonly tree: string;
  /** What others alone would have left of the earlier snapshot. Absent when it was not asked for or is unknown. */
  readonly others?: string;
  readonly files: number;
  readonly bytes: number;
  readonly git: FoundGitFolders;
  /** What is not in it: files over a limit, files that could not be read. Paths below the root. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** What a walk saw of git repositories. Paths are below the root, which is ''. */
interface FoundGitFolders {
  /** Folders with a `.git` in them. */
  readonly folders: readonly string[];
  /** Folders that are repositories themselves. */
  readonly bare: readonly string[];
  /** Folders that the walk did not enter. */
  readonly notEntered: readonly string[];
}

/** Notes when calls may change files, so that a change can be attributed to the call that made it. */
export interface ChangeWatch {
  /** A call that may change files in the folder begins now, until `end` is called. Never throws; takes microseconds. */
  begin(root: string): CallWatch;
}

/** A call that runs. */
export interface CallWatch {
  end(): CallTime;
}

/**
 * The time of a call, by the clock that stamps files: whatever the call changed bears a time within, both ends
 * included. Milliseconds since the Unix epoch.
 */
export interface CallTime {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** Names that vanished from the folder meanwhile. Undefined: the folder is too large to be listed twice per call. */
  readonly gone: readonly string[] | undefined;
}

/** What a call did to files, as exactly as its tool knows it. */
export type TouchedFiles =
  /** Anything that changed in this time may be its work. */
  | { readonly kind: 'time'; readonly time: CallTime }
  /** These paths and no others. Its own time, if it was noted, is there for other threads. */
  | { readonly kind: 'paths'; readonly paths: readonly TouchedPath[]; readonly timeId?: string };

export interface TouchedPath {
  /** Absolute, without links. */
  readonly path: string;
  /** What the call found there; absent when it did not look. */
  readonly found?: FoundContent;
  /**
   * Since when it had been so, by the clock that stamps files. Where nothing was found: when names last came or went in
   * the lowest folder on the way. Absent when that is not known.
   */
  readonly foundSince?: number;
  readonly left: FoundContent;
  /** The content came from there: absolute, without links. */
  readonly movedFrom?: string;
}

/** The SHA-256 of a file's bytes in hexadecimal, or what else stands there. */
export type FoundContent = { readonly sha256: string } | 'nothing' | 'folder' | 'something';

/** What snapshots of workspaces keep: the contents of files and folders, under the SHA-256 of their bytes. */
export interface SnapshotContents {
  /** Those of the workspace in this folder, whose path is without links. Nothing is made before something is kept. */
  of(root: string): Promise<WorkspaceContents>;
}

export interface WorkspaceContents {
  /** Undefined when it is not there, or no longer what its name says. */
  load(hash: string): Promise<Uint8Array | undefined>;
  has(hash: string): Promise<boolean>;
  /** How much space they take, all together. */
  bytes(): Promise<number>;
  /** Begins to keep contents that belong together: all of them count, or none. */
  begin(): ContentsDraft;
  /**
   * What the last snapshot saw of the workspace, as a text of its own. Lost together with the contents, never after
   * them: the next snapshot relies on every content that it names.
   */
  loadNote(): Promise<string | undefined>;
  hasNote(): Promise<boolean>;
  saveNote(note: string): Promise<void>;
}

export interface ContentsDraft {
  /** Queues a content. Never waits; throws, or lets `finish` reject, when there is no space for it. */
  add(hash: string, content: Uint8Array): void;
  /** The contents count, and are durable, when it resolves. */
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

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
  readonly seen?: { readonly root: string; readonly git: FoundGitFolders };
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
