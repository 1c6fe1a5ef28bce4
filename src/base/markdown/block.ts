import type { Alignment } from './bounded-lexer.ts';
import type { InlineText } from './inline-text.ts';

/** A block of Markdown, by what it is and not by how it is drawn. */
export type Block = BlockPlace &
  (
    | { readonly kind: 'paragraph'; readonly words: InlineText }
    | { readonly kind: 'heading'; readonly level: number; readonly words: InlineText }
    /** `language`: the first word behind the fence, which may be empty. */
    | { readonly kind: 'code'; readonly language: string; readonly lines: readonly string[] }
    | { readonly kind: 'rule' }
    | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
    | ItemBlock
    | TableBlock
    /** The address behind labels like `[1]`. */
    | { readonly kind: 'definition'; readonly words: InlineText }
  );

interface BlockPlace {
  /** A blank line stands above it, between it and another block. */
  readonly isAfterBlank?: boolean;
  /**
   * It continues the block before it: code or text that is given in parts, or a list, of which each item is a block.
   */
  readonly isContinued?: boolean;
}

export interface ItemBlock extends BlockPlace {
  readonly kind: 'item';
  /** The bullet, or what follows the number: items of one list have the same. */
  readonly sign: string;
  readonly number: number | undefined;
  readonly task: 'open' | 'done' | undefined;
  readonly blocks: readonly Block[];
}

export interface TableBlock extends BlockPlace {
  readonly kind: 'table';
  readonly header: readonly InlineText[];
  readonly alignments: readonly Alignment[];
  /** No row has more cells than the header. */
  readonly rows: readonly (readonly InlineText[])[];
}
