import type { Item } from '../../protocol/item.ts';
import { itemText, storedBytes } from './item-bytes.ts';

/** Each piece costs the transport some work, and an item is small: pieces hold many items and end anywhere in one. */
const slabBytes = 64 * 1024;
/** A text of this size is a piece of its own: to copy it would cost more. */
const ownPiece = 16 * 1024;
/** That UTF-8 needs for one of the 16-bit units of a text. */
const mostBytesPerUnit = 3;

/** Bytes that were given out never change, so a piece only grows at its end. */
interface Piece {
  readonly buffer: Buffer;
  readonly from: number;
  to: number;
  /** Made when it is given out, and again when the piece has grown. */
  view?: Buffer;
}

/** The newest input that began with a certain item, kept to be extended. */
interface EncodedInput {
  readonly items: Item[];
  /** Where the bytes of each item end, counted from the first one. */
  readonly ends: number[];
  readonly pieces: Piece[];
  /** Filled up by and by, and never again where it was filled once. */
  slab: { readonly buffer: Buffer; used: number };
}

const fullSlab: EncodedInput['slab'] = { buffer: Buffer.alloc(0), used: 0 };

/**
 * Encodes lists of items, commas between them. A list that continues from the one before costs the bytes of what is new
 * and one comparison of pointers for each item that is not. Bytes are held once, and as long as the first item lives.
 */
export function inputEncoder(): (input: readonly Item[]) => readonly Uint8Array[] {
  const known = new WeakMap<Item, EncodedInput>();
  return (input) => {
    const first = input[0];
    if (first === undefined) return [];
    const encoded = known.get(first) ?? { items: [], ends: [], pieces: [], slab: fullSlab };
    known.set(first, encoded);
    cut(encoded, commonLength(encoded.items, input));
    for (let index = encoded.items.length; index < input.length; index++) add(encoded, input[index]!);
    return encoded.pieces.map(viewOf);
  };
}

function viewOf(piece: Piece): Buffer {
  const { buffer, from, to } = piece;
  if (piece.view?.length !== to - from) piece.view = buffer.subarray(from, to);
  return piece.view!;
}

/** `Object.is` compares the pointers alone; `===` looks into both objects first. */
function commonLength(before: readonly Item[], now: readonly Item[]): number {
  const most = Math.min(before.length, now.length);
  for (let index = 0; index < most; index++) if (!Object.is(before[index], now[index])) return index;
  return most;
}

/** Keeps so many items. What is cut off may be on its way to a provider: its place is not filled again. */
function cut({ items, ends, pieces }: EncodedInput, length: number): void {
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

function add(encoded: EncodedInput, item: Item): void {
  const { items, ends } = encoded;
  const stored = storedBytes(item);
  const comma = items.length === 0 ? '' : ',';
  const length =
    stored === undefined
      ? addText(encoded, comma + itemText(item))
      : addText(encoded, comma) + addBytes(encoded, stored);
  items.push(item);
  ends.push((ends.at(-1) ?? 0) + length);
}

/** Most texts are short: they are encoded where they will stand. */
function addText(encoded: EncodedInput, text: string): number {
  const { buffer, used } = encoded.slab;
  if (text.length * mostBytesPerUnit > buffer.length - used) return addBytes(encoded, Buffer.from(text, 'utf8'));
  const length = buffer.write(text, used);
  filled(encoded, length);
  return length;
}

function addBytes(encoded: EncodedInput, bytes: Buffer): number {
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

/** So much was written behind what the slab held. */
function filled({ pieces, slab }: EncodedInput, length: number): void {
  if (length === 0) return;
  const last = pieces.at(-1);
  if (last?.buffer === slab.buffer && last.to === slab.used) last.to += length;
  else pieces.push({ buffer: slab.buffer, from: slab.used, to: slab.used + length });
  slab.used += length;
}
