import type { Grammar } from './languages.ts';
import type { LongToken } from './highlight.ts';

/** What stands before a row: bars of quotes, markers of lists and the blanks below them. */
export type PrefixPart = 'quote' | { readonly blanks: number } | { readonly marker: string };

/** A block of Markdown that has no blocks in it, with all that its rows depend on. */
export type Leaf = LeafPlace &
  (
    | { readonly kind: 'paragraph'; readonly lines: readonly string[]; readonly box?: 'open' | 'done' }
    | { readonly kind: 'heading'; readonly level: number; readonly text: string }
    | { readonly kind: 'code'; readonly text: string; readonly grammar?: Grammar | 'diff'; readonly inside?: LongToken }
    | { readonly kind: 'rule' }
    | TableLeaf
  );

export interface LeafPlace {
  /** Of the blank row above it. Absent: there is none. */
  readonly blank?: readonly PrefixPart[];
  readonly first: readonly PrefixPart[];
  readonly rest: readonly PrefixPart[];
}

export interface TableLeaf extends LeafPlace {
  readonly kind: 'table';
  readonly header: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly string[])[];
}

export type Alignment = 'left' | 'right' | 'centre';
