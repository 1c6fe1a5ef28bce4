import type { PathSight } from '../../policy/walk-path.ts';

/** What a planner may ask about the disk. One view serves one plan, and answers the same question the same way. */
export interface DiskView {
  /** A file is anything that is neither folder nor link. */
  look(path: string): PathSight;
  /** Names in a folder; empty when it cannot be read. */
  list(folder: string): readonly string[];
  /** Whether a command that runs as this user could make something in the folder. */
  canCreateIn(folder: string): boolean;
}
