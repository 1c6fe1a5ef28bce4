/** What stands at a path, the path itself not followed when it is a link. */
export type Sight =
  | { readonly kind: 'folder' }
  /** A file, or anything else that is neither folder nor link. */
  | { readonly kind: 'file' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'missing' };

/** What a planner may ask about the disk. One view serves one plan, and answers the same question the same way. */
export interface DiskView {
  look(path: string): Sight;
  /** Names in a folder; empty when it cannot be read. */
  list(folder: string): readonly string[];
  /** Whether a command that runs as this user could make something in the folder. */
  canCreateIn(folder: string): boolean;
}
