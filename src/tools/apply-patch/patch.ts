/** A patch as it was written: what to do with which files, in order. Nothing of it was held against a disk. */
export interface Patch {
  readonly hunks: readonly Hunk[];
  /** The place that the patch asks for, when it names one. */
  readonly environment?: string;
}

/** One file of a patch. Paths are as written. */
export type Hunk =
  | { readonly kind: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly movePath?: string;
      /** Empty only in a move that changes nothing. */
      readonly chunks: readonly Chunk[];
    }
  /** No patch is written so: the tool `edit_file` makes it. With nothing to find, the file must be missing or empty. */
  | ({ readonly kind: 'replace'; readonly path: string } & Replacement);

export interface Replacement {
  readonly find: string;
  readonly put: string;
  /** Every place that has the text; else there must be one. */
  readonly all: boolean;
}

/** Lines that stand together in a file, with what becomes of them. */
export interface Chunk {
  /** A line to look for first: the chunk is somewhere after it. */
  readonly anchor?: string;
  readonly lines: readonly ChunkLine[];
  /** The chunk's lines are the last ones of the file. */
  readonly endOfFile: boolean;
}

export interface ChunkLine {
  readonly kind: 'context' | 'remove' | 'add';
  readonly text: string;
}

/** The lines that the chunk expects to find. */
export function oldLines({ lines }: Chunk): readonly string[] {
  return lines.flatMap(({ kind, text }) => (kind === 'add' ? [] : [text]));
}
