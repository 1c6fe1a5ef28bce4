import { withoutTabs } from '../text/clean.ts';
import { type Container, copyOf, depthIn, isInItem, type ItemContainer, markerOf, prefixesOf } from './containers.ts';
import { HighlightBudget, highlightLine, type LongToken } from './highlight.ts';
import { type Grammar, grammarOf } from './languages.ts';
import type { Alignment, Leaf, LeafPlace } from './leaf.ts';
import { alignmentsOf, cellsOf } from './table-source.ts';

/** A block that later lines may still change. */
type OpenBlock =
  | { readonly kind: 'paragraph'; readonly place: LeafPlace; readonly lines: string[]; readonly box?: 'open' | 'done' }
  | OpenFence
  | {
      readonly kind: 'table';
      readonly place: LeafPlace;
      readonly header: readonly string[];
      readonly alignments: readonly Alignment[];
      readonly rows: (readonly string[])[];
    };

interface OpenFence {
  readonly kind: 'fence';
  readonly depth: number;
  readonly sign: string;
  readonly indent: number;
  readonly grammar: Grammar | 'diff' | undefined;
  readonly budget: HighlightBudget;
  inside: LongToken | undefined;
}

/** What stands deeper is text. */
const mostContainers = 30;

const quoteStart = /^ {0,3}> ?/;
const ruleLine = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const headingStart = /^ {0,3}(#{1,6})(?= |$)/;
const underline = /^ {0,3}(?:=+|-+) *$/;
const fenceStart = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/**
 * Reads Markdown line by line, and gives out each block as soon as no later line can change it. Blank lines between the
 * items of a list stay as they are written: what is above them never waits for what comes below.
 */
export class BlockReader {
  readonly #give: (leaf: Leaf) => void;
  #containers: Container[] = [];
  #open: OpenBlock | undefined;
  #isAfterBlank = false;
  /** What was placed last, and whether that was in a list. */
  #last: { readonly kind: Leaf['kind']; readonly isInItem: boolean; readonly depth: number } | undefined;

  constructor(give: (leaf: Leaf) => void) {
    this.#give = give;
  }

  /** A reader in the same state, which gives to another. */
  copy(give: (leaf: Leaf) => void): BlockReader {
    const copy = new BlockReader(give);
    copy.#containers = this.#containers.map(copyOf);
    copy.#open = copyOfBlock(this.#open);
    copy.#isAfterBlank = this.#isAfterBlank;
    copy.#last = this.#last;
    return copy;
  }

  line(source: string): void {
    const { rest: inner, matched } = this.#match(withoutTabs(source, 4));
    if (this.#open?.kind === 'fence') {
      if (matched >= this.#open.depth) return this.#codeLine(this.#open, inner);
      this.#open = undefined;
    }
    if (inner.trim() === '') return this.#blankLine(matched);
    const { rest, depth } = this.#openContainers(inner, matched);
    if (rest.trim() !== '') this.#leafLine(rest, depth);
  }

  end(): void {
    this.#close();
    this.#truncate(0);
  }

  /** How many containers a line continues, and what is left of it. */
  #match(line: string): { readonly rest: string; readonly matched: number } {
    let [rest, matched] = [line, 0];
    for (const container of this.#containers) {
      const taken = depthIn(container, rest, { isCode: this.#open?.kind === 'fence' });
      if (taken < 0) break;
      rest = rest.slice(taken);
      matched += 1;
    }
    return { rest, matched };
  }

  #blankLine(matched: number): void {
    this.#close();
    this.#truncate(matched);
    this.#isAfterBlank = true;
  }

  /** Opens the quotes and items that begin in the line. */
  #openContainers(line: string, matched: number): { readonly rest: string; readonly depth: number } {
    let [rest, depth] = [line, matched];
    for (;;) {
      if (depth >= mostContainers) return { rest, depth };
      const [quote] = quoteStart.exec(rest) ?? [];
      const marker = quote === undefined && !ruleLine.test(rest) ? markerOf(rest) : undefined;
      if (quote === undefined && marker === undefined) return { rest, depth };
      const continues = this.#open?.kind === 'paragraph' && depth === this.#containers.length;
      if (marker !== undefined && continues && !marker.mayInterrupt) return { rest, depth };
      this.#close();
      const sibling = this.#containers[depth];
      this.#truncate(depth);
      this.#containers.push(marker === undefined ? { kind: 'quote', isNew: true } : itemAfter(sibling, marker.item));
      rest = rest.slice(marker === undefined ? quote!.length : marker.length);
      depth += 1;
    }
  }

  #leafLine(line: string, depth: number): void {
    const isWhole = depth === this.#containers.length;
    const open = this.#open;
    if (open?.kind === 'paragraph' && isWhole && this.#endsParagraph(open, line)) return;
    const [, signs] = headingStart.exec(line) ?? [];
    if (signs !== undefined) {
      const text = line.trim().slice(signs.length).trim();
      return this.#single(depth, { kind: 'heading', level: signs.length, text: text.replace(/(?:^| )#+$/, '').trim() });
    }
    if (ruleLine.test(line)) return this.#single(depth, { kind: 'rule' });
    const fence = fenceStart.exec(line);
    if (fence !== null) return this.#openFence(depth, fence);
    if (open?.kind === 'table' && isWhole && line.includes('|')) {
      open.rows.push(cellsOf(line));
      return;
    }
    if (open?.kind === 'paragraph') {
      open.lines.push(line.trim());
      return;
    }
    if (/^ {4}/.test(line)) return this.#single(depth, { kind: 'code', text: line.slice(4).trimEnd() });
    this.#openParagraph(depth, line.trim());
  }

  /** The line under a paragraph may make a heading of it, or of its last line the header of a table. */
  #endsParagraph(open: Extract<OpenBlock, { kind: 'paragraph' }>, line: string): boolean {
    const header = open.lines.at(-1) ?? '';
    const alignments = alignmentsOf(header, line);
    if (alignments !== undefined) {
      open.lines.pop();
      const isAlone = open.lines.length === 0;
      if (!isAlone) this.#close();
      const place = isAlone ? open.place : this.#place('table');
      this.#open = { kind: 'table', place, header: cellsOf(header), alignments, rows: [] };
      this.#last = { kind: 'table', isInItem: isInItem(this.#containers), depth: this.#containers.length };
      return true;
    }
    if (!underline.test(line)) return false;
    this.#open = undefined;
    const level = line.includes('=') ? 1 : 2;
    this.#give({ ...open.place, kind: 'heading', level, text: open.lines.join(' ') });
    this.#last = { kind: 'heading', isInItem: isInItem(this.#containers), depth: this.#containers.length };
    return true;
  }

  #openParagraph(depth: number, line: string): void {
    this.#close();
    this.#truncate(depth);
    const [box, mark] = /^\[([ xX])\] +/.exec(line) ?? [];
    const isTask = box !== undefined && this.#containers.at(-1)?.kind === 'item' && this.#containers.at(-1)?.isNew;
    const place = this.#place('paragraph');
    this.#open =
      isTask === true
        ? { kind: 'paragraph', place, lines: [line.slice(box!.length)], box: mark === ' ' ? 'open' : 'done' }
        : { kind: 'paragraph', place, lines: [line] };
  }

  #openFence(depth: number, [, blanks = '', sign = '', info = '']: RegExpExecArray): void {
    this.#close();
    this.#truncate(depth);
    const [name = ''] = info.trim().split(/[\s,{]/, 1);
    const grammar = name === 'diff' || name === 'patch' ? 'diff' : grammarOf(name);
    this.#isAfterBlank ||= this.#last !== undefined && !isInItem(this.#containers);
    this.#open = {
      kind: 'fence',
      depth: this.#containers.length,
      sign,
      indent: blanks.length,
      grammar,
      budget: new HighlightBudget(),
      inside: undefined,
    };
  }

  #codeLine(open: OpenFence, line: string): void {
    const trimmed = line.trim();
    if (trimmed.length >= open.sign.length && trimmed.replaceAll(open.sign[0]!, '') === '' && !/^ {4}/.test(line)) {
      this.#open = undefined;
      // What follows stands apart, whether or not the fence had lines.
      this.#isAfterBlank ||= this.#last?.kind === 'code' && !isInItem(this.#containers);
      return;
    }
    let cut = 0;
    while (cut < open.indent && line[cut] === ' ') cut += 1;
    const text = line.slice(cut);
    const place = this.#place('code');
    const { grammar, inside } = open;
    if (grammar === undefined || !open.budget.take(text)) return this.#give({ ...place, kind: 'code', text });
    this.#give({ ...place, kind: 'code', text, grammar, ...(inside === undefined ? {} : { inside }) });
    if (grammar !== 'diff') open.inside = highlightLine(text, grammar, inside).inside;
  }

  #single(
    depth: number,
    leaf:
      | Pick<Extract<Leaf, { kind: 'heading' }>, 'kind' | 'level' | 'text'>
      | { kind: 'rule' }
      | { kind: 'code'; text: string },
  ): void {
    this.#close();
    this.#truncate(depth);
    this.#give({ ...this.#place(leaf.kind), ...leaf });
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.kind === 'fence') return;
    const { place, ...block } = open;
    this.#give({ ...place, ...block });
  }

  /** Leaves containers. An item without anything in it still has its marker. */
  #truncate(depth: number): void {
    if (depth >= this.#containers.length) return;
    if (this.#containers.slice(depth).some(({ kind, isNew }) => kind === 'item' && isNew)) {
      this.#give({ ...this.#place('paragraph'), kind: 'paragraph', lines: [''] });
    }
    this.#containers.length = depth;
  }

  /** Where the next leaf stands, and whether there is a blank row above it. */
  #place(kind: Leaf['kind']): LeafPlace {
    const here = { kind, isInItem: isInItem(this.#containers), depth: this.#containers.length };
    const last = this.#last;
    const isApart = last !== undefined && (this.#isAfterBlank || standApart(last, here));
    const { first, rest, kept } = prefixesOf(this.#containers);
    for (const container of this.#containers) container.isNew = false;
    this.#isAfterBlank = false;
    this.#last = here;
    return isApart ? { blank: kept, first, rest } : { first, rest };
  }
}

function itemAfter(sibling: Container | undefined, item: ItemContainer): ItemContainer {
  if (sibling?.kind !== 'item' || sibling.sign !== item.sign || item.number === undefined) return item;
  return { ...item, number: (sibling.number ?? 0) + 1 };
}

type Standing = { readonly kind: Leaf['kind']; readonly isInItem: boolean; readonly depth: number };

/** Whether two blocks have a blank row between them although their lines have none. */
function standApart(last: Standing, next: Standing): boolean {
  if (last.kind === 'code' && next.kind === 'code') return false;
  if (last.isInItem && next.isInItem) return false;
  if (last.kind === 'paragraph' && next.kind === 'paragraph') return last.depth !== next.depth && !next.isInItem;
  return true;
}

function copyOfBlock(open: OpenBlock | undefined): OpenBlock | undefined {
  if (open?.kind === 'paragraph') return { ...open, lines: [...open.lines] };
  if (open?.kind === 'table') return { ...open, rows: [...open.rows] };
  return open === undefined ? undefined : { ...open, budget: open.budget.copy() };
}
