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
