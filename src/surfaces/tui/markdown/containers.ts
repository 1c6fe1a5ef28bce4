import type { PrefixPart } from './leaf.ts';

/** What blocks stand in. `isNew`: nothing in it was placed yet. */
export type Container = { readonly kind: 'quote'; isNew: boolean } | ItemContainer;

export interface ItemContainer {
  readonly kind: 'item';
  isNew: boolean;
  /** The column where its content begins, counted from where the container around it does. */
  readonly offset: number;
  /** The bullet, or what follows the number: items of one list have the same. */
  readonly sign: string;
  readonly number: number | undefined;
}

export function copyOf(container: Container): Container {
  return { ...container };
}

export function isInItem(containers: readonly Container[]): boolean {
  return containers.some(({ kind }) => kind === 'item');
}

/** How much of a line belongs to the container; negative: the line does not continue it. */
export function depthIn(container: Container, line: string, { isCode }: { readonly isCode: boolean }): number {
  if (container.kind === 'quote') return /^ {0,3}> ?/.exec(line)?.[0].length ?? -1;
  const blanks = blanksBefore(line);
  if (blanks === line.length) return Math.min(blanks, container.offset);
  if (blanks >= container.offset) return container.offset;
  // Many writers indent by two, whatever the marker.
  const isNested = !isCode && blanks >= 2 && markerOf(line.slice(blanks)) !== undefined;
  return isNested ? blanks : -1;
}

function blanksBefore(line: string): number {
  let blanks = 0;
  while (line[blanks] === ' ') blanks += 1;
  return blanks;
}

export interface FoundMarker {
  readonly item: ItemContainer;
  readonly length: number;
  /** Whether it may follow a line of text without a blank line between. */
  readonly mayInterrupt: boolean;
}

export function markerOf(line: string): FoundMarker | undefined {
  const found = /^( *)(?:([-*+])|(\d{1,9})([.)]))( +|$)/.exec(line);
  if (found === null) return undefined;
  const [all, before = '', bullet, digits, dot, blanks = ''] = found;
  const isEmpty = all.length === line.length;
  const markLength = (bullet ?? `${digits}${dot}`).length;
  // More blanks than that are those of code.
  const gap = isEmpty || blanks.length > 4 ? 1 : blanks.length;
  const length = Math.min(line.length, before.length + markLength + gap);
  const number = digits === undefined ? undefined : Number(digits);
  return {
    item: { kind: 'item', isNew: true, offset: before.length + markLength + gap, sign: bullet ?? dot ?? '', number },
    length,
    mayInterrupt: !isEmpty && (number === undefined || number === 1),
  };
}

/** What stands before the rows of a block, and what of it was there before. */
export function prefixesOf(containers: readonly Container[]): {
  readonly first: readonly PrefixPart[];
  readonly rest: readonly PrefixPart[];
  readonly kept: readonly PrefixPart[];
} {
  const first = containers.map((each): PrefixPart =>
    each.kind === 'item' && each.isNew ? markerPart(each) : restPart(each),
  );
  const fresh = containers.findIndex(({ isNew }) => isNew);
  const rest = containers.map(restPart);
  return { first, rest, kept: fresh < 0 ? rest : rest.slice(0, fresh) };
}

function markerPart({ number, sign }: ItemContainer): PrefixPart {
  return { marker: number === undefined ? '' : `${number}${sign}` };
}

function restPart(container: Container): PrefixPart {
  if (container.kind === 'quote') return 'quote';
  return { blanks: container.number === undefined ? 2 : String(container.number).length + 2 };
}
