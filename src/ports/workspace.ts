import type { Outcome } from '../protocol/outcome.ts';

/** Copies of a workspace at a moment, from which its files can be restored. */
export interface Snapshots {
  /**
   * Nothing may change the workspace until it resolves. Never rejects: a failed snapshot must not stop a turn. Ends soon
   * with `missing` after an abort; the reason `snapshotNotNeeded` also discards what was learnt so far.
   */
  take(request: SnapshotRequest, signal: AbortSignal): Promise<Snapshot>;
}

export const snapshotNotNeeded = 'not needed';

export interface SnapshotRequest {
  readonly root: string;
  /** Places that no command may read; they are not copied. */
  denies(path: string): boolean;
  /** An earlier snapshot and the calls since: the result then separates their work from others'. */
  readonly since?: { readonly snapshot: SnapshotTaken; readonly touched: readonly TouchedFiles[] };
}

export type Snapshot = SnapshotTaken | { readonly kind: 'missing'; readonly root: string; readonly outcome: Outcome };

export interface SnapshotTaken {
  readonly kind: 'taken';
  /** Without links in it. */
  readonly root: string;
  /** Names its whole content. */
  readonly tree: string;
  /** The earlier snapshot with only others' changes. Absent when not requested or unknown. */
  readonly others?: string;
  readonly files: number;
  readonly bytes: number;
  readonly git: FoundGitFolders;
  /** Files over a limit and unreadable files, with paths below the root. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** Git repositories found by a walk. Paths are below the root, which is ''. */
type FoundGitFolders = Readonly<Record<'folders' | 'bare' | 'notEntered', readonly string[]>>;

/** Notes when calls may change files, so that a change can be attributed to the call that made it. */
export interface CallTimeRecorder {
  /** A call that may change files in the folder begins. Never throws; takes microseconds. */
  begin(root: string): CallTimeRecording;
}

export type CallTimeRecording = { end(): CallTime };

/** Everything that the call changed has a time stamp from `from` to `to`, in milliseconds since the Unix epoch. */
export interface CallTime {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** Names that disappeared from the folder meanwhile. Undefined: it is too large to be listed twice per call. */
  readonly gone: readonly string[] | undefined;
}

export type TouchedFiles =
  /** Anything that changed in this time may be its work. */
  | { readonly kind: 'time'; readonly time: CallTime }
  /** The call changed exactly these paths. `timeId` tells its noted time apart from those of other threads' calls. */
  | { readonly kind: 'paths'; readonly paths: readonly TouchedPath[]; readonly timeId?: string };

export interface TouchedPath {
  /** Absolute, without links. */
  readonly path: string;
  /** The content before the call; absent when it did not look. */
  readonly found?: ContentBeforeCall;
  /** When that state began, by the clock that stamps files. For `nothing`: since the deepest folder's names changed. */
  readonly foundSince?: number;
  readonly left: ContentBeforeCall;
  readonly movedFrom?: string;
}

/** A file's SHA-256 in hexadecimal digits, or the kind of another entry. */
export type ContentBeforeCall = { readonly sha256: string } | 'nothing' | 'folder' | 'something';

/** Storage for snapshots: contents of files and folders, by SHA-256. */
export interface SnapshotContents {
  /** The contents for the workspace at this link-free path. Nothing is created before something is stored. */
  of(root: string): Promise<WorkspaceContents>;
}

export interface WorkspaceContents {
  /** Undefined when missing or damaged. */
  load(hash: string): Promise<Uint8Array | undefined>;
  has(hash: string): Promise<boolean>;
  bytes(): Promise<number>;
  /** Starts a group of contents: all of them count, or none. */
  begin(): ContentsDraft;
  /** The last snapshot's note. The next snapshot relies on the contents it names, so it is never kept without them. */
  loadNote(): Promise<string | undefined>;
  hasNote(): Promise<boolean>;
  saveNote(note: string): Promise<void>;
}

export interface ContentsDraft {
  /** Queues a content. Never waits; throws, or lets `finish` reject, when there is no space for it. */
  add(hash: string, content: Uint8Array): void;
  /** The contents count, and are durable, when it resolves. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Finds repositories below writable folders, so that a sandbox can protect them from commands. */
export interface GitGuard {
  /** Paths that commands must not change: git folders, git files, their targets, and protected names beside them. */
  readonly current: readonly string[];
  /** Protected names that these repositories lack. Patches must not make them; a sandbox cannot block them all. */
  readonly missing: readonly string[];
  /** Looks again. Bounded in entries and time; never rejects. */
  look(request: RepositorySearch, signal: AbortSignal): Promise<FoundRepositories>;
  /** As `look`, but the protected set stays unchanged. */
  find(request: RepositorySearch, signal: AbortSignal): Promise<FoundRepositories>;
}

export interface RepositorySearch {
  /** Writable folders below which git folders are protected. */
  readonly roots: readonly string[];
  /** A snapshot's findings for one root, which need not be walked again. */
  readonly seen?: { readonly root: string; readonly git: FoundGitFolders };
  denies(path: string): boolean;
}

export interface FoundRepositories {
  /** Folders that git takes for repositories, bare ones included. */
  readonly repositories: readonly string[];
  /** Existing non-empty protected names in them, besides git's own. */
  readonly settings: readonly string[];
  /** Folders that were too many, too slow or impossible to list. Empty: everything was seen. */
  readonly unseen: readonly string[];
}

/** The repositories that git may use outside the sandbox. All paths are absolute, without links. */
export interface AllowedRepositories {
  readonly program: string;
  readonly cwd: string;
  readonly top: string;
  /** Git folders of the checkout and its submodules. Commands can write none of them. */
  readonly folders: readonly string[];
  /** The git folder that its worktrees share. */
  readonly common: string;
}

/** Makes git itself refuse every other repository, however it would find it and whenever it was created. */
export interface GuardedGit {
  /** Its files on the disk. Useless where commands may write there. */
  readonly folder: string;
  /** Variables for git. Undefined: git does not obey them, or would not use the repository of the bounds. */
  variables(
    bounds: AllowedRepositories,
    given: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>> | undefined>;
}
