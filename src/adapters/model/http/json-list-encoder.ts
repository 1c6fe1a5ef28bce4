import type { ModelPrompt } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import type { InputAuthor } from '../../../protocol/user-input.ts';

export interface EntryWriter<Entry> {
  /** Existing bytes; undefined if the text must be made. Called once per entry. */
  stored(entry: Entry): Buffer | undefined;
  text(entry: Entry): string;
}

/** Each piece has a transport cost and items are small: a piece holds many items and may end inside one. */
const slabBytes = 64 * 1024;
/** A larger text is a piece of its own: copying it would cost more. */
const ownPiece = 16 * 1024;
const mostBytesPerUnit = 3;
/** Bytes that were given out never change: a piece only grows at its end. */
type Piece = { readonly buffer: Buffer; readonly from: number; to: number; view?: Buffer };

interface EncodedList<Entry> {
  readonly items: Entry[];
  /** End offset of each item, counted from the first. */
  readonly ends: number[];
  readonly pieces: Piece[];
  /** Append-only: filled bytes are never overwritten. */
  slab: { readonly buffer: Buffer; used: number };
}

const fullSlab: EncodedList<never>['slab'] = { buffer: Buffer.alloc(0), used: 0 };

/** Encodes comma-separated lists. A longer list costs its new items and one comparison per old one. */
export function listEncoder<Entry extends object>(
  writer: EntryWriter<Entry>,
): (input: readonly Entry[]) => readonly Uint8Array[] {
  const known = new WeakMap<Entry, EncodedList<Entry>>();
  return (input) => {
    const first = input[0];
    if (first === undefined) return [];
    const encoded = known.get(first) ?? { items: [], ends: [], pieces: [], slab: fullSlab };
    known.set(first, encoded);
    cut(encoded, commonLength(encoded.items, input));
    for (let index = encoded.items.length; index < input.length; index++) add(encoded, input[index]!, writer);
    return encoded.pieces.map(viewOf);
  };
}

function viewOf(piece: Piece): Buffer {
  const { buffer, from, to } = piece;
  if (piece.view?.length !== to - from) piece.view = buffer.subarray(from, to);
  return piece.view!;
}

/** `Object.is` compares only the pointers; `===` first looks into both objects. */
function commonLength(before: readonly object[], now: readonly object[]): number {
  const most = Math.min(before.length, now.length);
  for (let index = 0; index < most; index++) if (!Object.is(before[index], now[index])) return index;
  return most;
}

/** Truncates to `length` items. Removed bytes may still be on their way to a provider: their place is not reused. */
function cut<Entry>({ items, ends, pieces }: EncodedList<Entry>, length: number): void {
  if (length === items.length) return;
  let over = ends.at(-1)! - (length === 0 ? 0 : ends[length - 1]!);
  items.length = length;
  ends.length = length;
  for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
    const { buffer, from, to } = last;
    if (over < to - from) {
      pieces.push({ buffer, from, to: to - over });
      return;
    }
    over -= to - from;
  }
}

function add<Entry>(encoded: EncodedList<Entry>, item: Entry, writer: EntryWriter<Entry>): void {
  const { items, ends } = encoded;
  const stored = writer.stored(item);
  const comma = items.length === 0 ? '' : ',';
  const length =
    stored === undefined
      ? addText(encoded, comma + writer.text(item))
      : addText(encoded, comma) + addBytes(encoded, stored);
  items.push(item);
  ends.push((ends.at(-1) ?? 0) + length);
}

function addText(encoded: EncodedList<unknown>, text: string): number {
  const { buffer, used } = encoded.slab;
  if (text.length * mostBytesPerUnit > buffer.length - used) return addBytes(encoded, Buffer.from(text, 'utf8'));
  const length = buffer.write(text, used);
  filled(encoded, length);
  return length;
}

function addBytes(encoded: EncodedList<unknown>, bytes: Buffer): number {
  if (bytes.length >= ownPiece) {
    encoded.pieces.push({ buffer: bytes, from: 0, to: bytes.length });
    return bytes.length;
  }
  for (let from = 0; from < bytes.length;) {
    const { buffer, used } = encoded.slab;
    const length = bytes.copy(buffer, used, from);
    filled(encoded, length);
    from += length;
    if (from < bytes.length) encoded.slab = { buffer: Buffer.allocUnsafeSlow(slabBytes), used: 0 };
  }
  return bytes.length;
}

function filled({ pieces, slab }: Pick<EncodedList<unknown>, 'pieces' | 'slab'>, length: number): void {
  if (length === 0) return;
  const last = pieces.at(-1);
  if (last?.buffer === slab.buffer && last.to === slab.used) last.to += length;
  else pieces.push({ buffer: slab.buffer, from: slab.used, to: slab.used + length });
  slab.used += length;
}

export interface ItemAccumulator {
  add(item: Item, writer: InputAuthor | undefined): void;
  /** True if later items may still change it, so that a longer history cannot continue it. */
  readonly isOpen?: boolean;
}

const noOtherWriters: ReadonlyMap<Item, InputAuthor> = new Map();

/** Makes something of histories. If one extends the previous history, adds only its new items; else begins anew. */
export function createIncrementalBuilder<Made extends ItemAccumulator>(begin: () => Made) {
  const known = new WeakMap<Item, { readonly items: Item[]; readonly writers: unknown[]; readonly made: Made }>();
  return ({ input, writers = noOtherWriters }: Pick<ModelPrompt, 'input' | 'writers'>): Made => {
    const first = input[0];
    let history = first && known.get(first);
    const isContinued =
      history !== undefined &&
      history.made.isOpen !== true &&
      commonLength(history.items, input) === history.items.length &&
      history.items.every((item, index) => writers.get(item) === history?.writers[index]);
    if (history === undefined || !isContinued) history = { items: [], writers: [], made: begin() };
    if (first !== undefined) known.set(first, history);
    for (const item of input.slice(history.items.length)) {
      const writer = writers.get(item);
      history.items.push(item);
      history.writers.push(writer);
      history.made.add(item, writer);
    }
    return history.made;
  };
}
