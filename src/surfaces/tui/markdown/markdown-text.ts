import type { Look } from '../text/look.ts';
import { drawLeaf } from './draw-leaf.ts';
import type { Leaf } from './leaf.ts';
import { readLeaves } from './markdown-stream.ts';

/** A text that is read once, and drawn from its end, as far as it is in sight: a width more costs a screen, not the text. */
export class MarkdownText {
  readonly #leaves: Leaf[] = [];

  constructor(text: string) {
    readLeaves(text, (leaf) => this.#leaves.push(leaf));
  }

  /** At least so many rows, where there are as many. */
  lastRows(look: Look, least: number): { readonly rows: readonly string[]; readonly isAll: boolean } {
    const blocks: (readonly string[])[] = [];
    let [count, at] = [0, this.#leaves.length];
    while (at > 0 && count < least) {
      at -= 1;
      const rows = drawLeaf(this.#leaves[at]!, look);
      blocks.push(rows);
      count += rows.length;
    }
    return { rows: blocks.toReversed().flat(), isAll: at === 0 };
  }
}
