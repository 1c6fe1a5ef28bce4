import type { BackRole, ColourRole } from './style.ts';

/** A colour for terminals of 16 colours (a code of SGR), of 256, and of all. */
export type Ink = readonly [sixteen: number, indexed: number | undefined, full: number | undefined];

/** A ground for terminals of 256 colours, and of all. Sixteen colours have no quiet one. */
export type Ground = readonly [indexed: number, full: number];

/** The colours of a look. A role without one is drawn as plain text; what it says never depends on its colour. */
export interface Theme {
  readonly name: string;
  readonly inks: Readonly<Partial<Record<ColourRole, Ink>>>;
  readonly grounds: Readonly<Partial<Record<BackRole, Ground>>>;
  /** False: what others draw dim is drawn as plain text. */
  readonly hasDim: boolean;
}
