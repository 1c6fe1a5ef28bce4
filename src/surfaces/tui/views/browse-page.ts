import type { Look } from '../text/look.ts';
import type { Row } from '../text/style.ts';

/** A page that can be looked through: rows to choose from, or a text. */
export type BrowsePage = BrowseList | BrowseText;

/** Rows are made when they come into sight, so that a list of any length opens at once. */
export interface BrowseList {
  readonly kind: 'list';
  readonly title: string;
  /** Above the list, in rows that fit. */
  head?(look: Look): readonly Row[];
  readonly length: number;
  /** One row: what does not fit is cut. */
  row(index: number, look: Look): Row;
  /** What a row opens to. Undefined: nothing. */
  open?(index: number): BrowsePage | undefined;
  /** Whether a row opens to something. Absent: all do. */
  opens?(index: number): boolean;
  /** What Enter does. Absent: it opens. */
  readonly enter?: string;
  /** Rows have numbers, and digits open them. */
  readonly isNumbered?: true;
  /** In the place of the rows, where there are none. */
  readonly empty?: string;
  readonly actions?: readonly BrowseAction[];
}

export interface BrowseText {
  readonly kind: 'text';
  readonly title: string;
  /** All rows of it, in rows that fit. */
  rows(look: Look): readonly Row[];
  readonly actions?: readonly BrowseAction[];
}

/** Something that can be done on a page, besides looking. */
export interface BrowseAction {
  readonly key: string;
  /** As the last row of the screen says it: `p pins it`. */
  readonly does: string;
  /** With the chosen row; 0 on a text. */
  press(index: number): void;
}
