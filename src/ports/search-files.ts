import type { Outcome } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';

/** Searches a folder for the model: what git ignores and what the policy denies is left out, and links are not followed. */
export interface SearchFiles {
  /** Files and folders by letters of their paths, the best first. */
  names(search: NamesSearch): Promise<NamesFound | Outcome>;
  /** Lines of files that hold text. */
  lines(search: ContentsSearch): Promise<ContentsFound | Outcome>;
}

interface SearchPlace {
  /** Absolute. */
  readonly folder: string;
  readonly policy: ResolvedPolicy;
  readonly signal: AbortSignal;
}

interface NamesSearch extends SearchPlace {
  /** Letters of the path, in their order. Empty: all that are meant. */
  readonly typed: string;
  /** False for files and folders that are left out, by their paths below the folder. */
  isMeant(path: string): boolean;
}

interface ContentsSearch extends SearchPlace {
  matches(line: string): boolean;
  /** Whether a file is looked into, by its path below the folder. */
  isMeant(path: string): boolean;
}

export interface NamesFound {
  readonly files: readonly { readonly path: string; readonly kind: 'file' | 'folder' }[];
  /** How many fit, those that are not given included. */
  readonly total: number;
  /** Some folders were not looked into. */
  readonly isPartial: boolean;
}

export interface ContentsFound {
  readonly lines: readonly { readonly path: string; readonly line: number; readonly text: string }[];
  readonly files: number;
  /** Files that are too large to be looked into. */
  readonly skipped: number;
  /** What ended the search before all was seen. Absent: nothing did. */
  readonly ended?: 'limit' | 'time' | 'entries';
}
