/**
 * What the code of patches needs of a disk. A *place* is an absolute path without links in it: where a path leads to.
 * All methods are synchronous, so that two patches of one process never mix, and throw Node's error objects.
 */
export interface PatchView {
  look(place: string): PatchSight;
  /** The whole file. Refuses anything that is no regular file. */
  read(place: string): Uint8Array;
}

/**
 * What stands at a place, not followed when it is a link. `since` says since when it has been as it is, in milliseconds:
 * the change time of a file or link, and of a folder when names in it last came or went. Absent for what is not on the
 * disk yet.
 */
export type PatchSight =
  | { readonly kind: 'missing' }
  | { readonly kind: 'folder'; readonly since?: number }
  | { readonly kind: 'link'; readonly target: string; readonly since?: number }
  /** `identity` is the same for all names of one file. */
  | { readonly kind: 'file'; readonly identity: string; readonly mode: number; readonly since?: number }
  /** A device, a pipe, a socket. */
  | { readonly kind: 'other' };

export interface PatchDisk extends PatchView {
  /** Makes one folder in one that exists. */
  makeFolder(place: string): void;
  /** Removes an empty folder. */
  removeFolder(place: string): void;
  /** Makes a file that must not exist yet. After a failure nothing is left of it. */
  create(place: string, content: Uint8Array, mode: number | undefined): void;
  /** Replaces the content of a file and keeps the file itself. After a failure the content may be anything. */
  overwrite(place: string, content: Uint8Array): void;
  /** Gives a file, or a link, another, unused name in its folder, and returns it. */
  setAside(place: string): string;
  rename(place: string, to: string): void;
  remove(place: string): void;
}
