import { BestFiles, type FoundFile } from './best-files.ts';
import { rankPath } from './rank-path.ts';
import { type VisibleFiles, visibleFiles } from './visible-files.ts';

export interface FileSearch extends VisibleFiles {
  readonly typed: string;
  /** False for paths below the root that are left out. */
  isMeant?(inside: string): boolean;
  /** How many are given at most. */
  readonly limit: number;
}

export interface FoundFiles {
  /** The best first. */
  readonly files: readonly FoundFile[];
  /** How many fit, those that are not given included. */
  readonly total: number;
  /** Some folders were not looked into: there are too many entries. */
  readonly isPartial: boolean;
}

/** Finds files and folders by letters of their paths. Rejects with `Stopped`. */
export async function findFiles(search: FileSearch): Promise<FoundFiles> {
  const best = new BestFiles(search.limit);
  const files = visibleFiles(search);
  for (;;) {
    const { done, value } = await files.next();
    if (done === true) return { files: best.sorted(), total: best.total, isPartial: value };
    const { inside: path, kind } = value;
    const rank = search.isMeant?.(path) === false ? undefined : rankPath(path, search.typed);
    if (rank !== undefined) best.add({ path, kind, rank });
  }
}
