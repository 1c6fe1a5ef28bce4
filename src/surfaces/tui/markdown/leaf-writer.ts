import type { Block, ItemBlock } from '../../../base/markdown/block.ts';
import { InlineText } from '../../../base/markdown/inline-text.ts';
import { HighlightBudget, highlightLine, type LongToken } from './highlight.ts';
import { type Grammar, grammarOf } from './languages.ts';
import type { Leaf, LeafPlace, PrefixPart } from './leaf.ts';

/** What blocks stand in. `isNew`: nothing in it was placed yet. */
type Container =
  | { readonly kind: 'quote'; isNew: boolean }
  | { readonly kind: 'item'; readonly item: ItemBlock; isNew: boolean };

interface Standing {
  readonly kind: Leaf['kind'];
  readonly isInItem: boolean;
  readonly depth: number;
}

/** How far the colours of code have come. */
interface CodeColours {
  readonly grammar: Grammar | 'diff' | undefined;
  readonly budget: HighlightBudget;
  inside: LongToken | undefined;
}

/** Makes leaves of blocks: what stands before each row, and where a blank row stands. */
export class LeafWriter {
  readonly #give: (leaf: Leaf) => void;
  readonly #containers: Container[] = [];
  #isAfterBlank = false;
  #last: Standing | undefined;
  #code: CodeColours | undefined;

  constructor(give: (leaf: Leaf) => void) {
    this.#give = give;
  }

  /** Between two blocks: a writer in the same state, which gives to another. */
  copy(give: (leaf: Leaf) => void): LeafWriter {
    const copy = new LeafWriter(give);
    copy.#isAfterBlank = this.#isAfterBlank;
    copy.#last = this.#last;
    copy.#code = this.#code && { ...this.#code, budget: this.#code.budget.copy() };
    return copy;
  }

  block(block: Block, task?: ItemBlock['task']): void {
    this.#isAfterBlank ||= block.isAfterBlank === true;
    switch (block.kind) {
      case 'quote':
        return this.#within({ kind: 'quote', isNew: true }, block.blocks);
      case 'item':
        return this.#within({ kind: 'item', item: block, isNew: true }, block.blocks);
      case 'code':
        return this.#codeLines(block);
      case 'paragraph':
        return this.#leaf({ kind: 'paragraph', words: block.words, task });
      case 'definition':
        return this.#leaf({ kind: 'paragraph', words: block.words });
      case 'heading':
        return this.#leaf({ kind: 'heading', level: block.level, words: block.words });
      case 'rule':
        return this.#leaf({ kind: 'rule' });
      case 'table': {
        const { kind, header, alignments, rows } = block;
        return this.#leaf({ kind, header, alignments, rows });
      }
    }
  }

  #within(container: Container, blocks: readonly Block[]): void {
    this.#containers.push(container);
    const task = container.kind === 'item' ? container.item.task : undefined;
    for (const [at, block] of blocks.entries()) this.block(block, at === 0 ? task : undefined);
    // An item without anything in it still has its marker.
    if (container.isNew && container.kind === 'item') {
      this.#leaf({ kind: 'paragraph', words: new InlineText(''), task });
    }
    this.#containers.pop();
  }

  #codeLines({ language, lines, isContinued }: Extract<Block, { kind: 'code' }>): void {
    if (isContinued !== true) {
      const grammar = language === 'diff' || language === 'patch' ? 'diff' : grammarOf(language);
      this.#code = { grammar, budget: new HighlightBudget(), inside: undefined };
      this.#isAfterBlank ||= this.#last !== undefined && !this.#isInItem();
    }
    const { grammar, budget } = this.#code!;
    for (const text of lines) {
      const { inside } = this.#code!;
      if (grammar === undefined || !budget.take(text)) {
        this.#leaf({ kind: 'code', text });
        continue;
      }
      this.#leaf({ kind: 'code', text, grammar, ...(inside === undefined ? {} : { inside }) });
      if (grammar !== 'diff') this.#code!.inside = highlightLine(text, grammar, inside).inside;
    }
  }

  #isInItem(): boolean {
    return this.#containers.some(({ kind }) => kind === 'item');
  }

  #leaf(leaf: LeafBody): void {
    const here = { kind: leaf.kind, isInItem: this.#isInItem(), depth: this.#containers.length };
    const last = this.#last;
    const isApart = last !== undefined && (this.#isAfterBlank || standApart(last, here));
    const place = placeIn(this.#containers, isApart);
    for (const container of this.#containers) container.isNew = false;
    this.#isAfterBlank = false;
    this.#last = here;
    this.#give({ ...place, ...leaf });
  }
}

type Without<Type, Keys extends PropertyKey> = Type extends unknown ? Omit<Type, Keys> : never;
type LeafBody = Without<Leaf, keyof LeafPlace>;

/** Asks for a blank row between two blocks although their lines have none. */
function standApart(last: Standing, next: Standing): boolean {
  if (last.kind === 'code' && next.kind === 'code') return false;
  if (last.isInItem && next.isInItem) return false;
  if (last.kind === 'paragraph' && next.kind === 'paragraph') return last.depth !== next.depth && !next.isInItem;
  return true;
}

function placeIn(containers: readonly Container[], isApart: boolean): LeafPlace {
  const rest = containers.map(restPart);
  const first = containers.map((each, at): PrefixPart => {
    if (each.kind === 'quote' || !each.isNew) return rest[at]!;
    return { marker: each.item.number === undefined ? '' : `${each.item.number}${each.item.sign}` };
  });
  if (!isApart) return { first, rest };
  const fresh = containers.findIndex(({ isNew }) => isNew);
  return { blank: fresh < 0 ? rest : rest.slice(0, fresh), first, rest };
}

function restPart(container: Container): PrefixPart {
  if (container.kind === 'quote') return 'quote';
  const { number } = container.item;
  return { blanks: number === undefined ? 2 : String(number).length + 2 };
}
