import type { TableBlock } from '../../../base/markdown/block.ts';
import type { InlineText } from '../../../base/markdown/inline-text.ts';
import type { LongToken } from './highlight.ts';
import type { Grammar } from './languages.ts';

/** What stands before a row: bars of quotes, markers of lists and the blanks below them. */
export type PrefixPart = 'quote' | { readonly blanks: number } | { readonly marker: string };

/** A block of Markdown that has no blocks in it, with all that its rows depend on. */
export type Leaf = LeafPlace &
  (
    | { readonly kind: 'paragraph'; readonly words: InlineText; readonly task?: 'open' | 'done' | undefined }
    | { readonly kind: 'heading'; readonly level: number; readonly words: InlineText }
    | { readonly kind: 'code'; readonly text: string; readonly grammar?: Grammar | 'diff'; readonly inside?: LongToken }
    | { readonly kind: 'rule' }
    | Pick<TableBlock, 'kind' | 'header' | 'alignments' | 'rows'>
  );

export interface LeafPlace {
  /** Of the blank row above it. Absent: there is none. */
  readonly blank?: readonly PrefixPart[];
  readonly first: readonly PrefixPart[];
  readonly rest: readonly PrefixPart[];
}
