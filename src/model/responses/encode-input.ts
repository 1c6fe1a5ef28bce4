import type { Item } from '../../protocol/item.ts';
import { itemText, storedBytes } from './item-bytes.ts';

/** Each piece costs the transport some work, and an item is small: pieces hold many items and end anywhere in one. */
const pieceBytes = 64 * 1024;
/** That UTF-8 needs for one of the 16-bit units of a text. */
const mostBytesPerUnit = 3;

/** The newest input that began with a certain item, kept to be extended. */
interface EncodedInput {
  readonly items: Item[];
  /** Where the bytes of each item end, counted from the first one. */
  readonly ends: number[];
  /** All of one size. The last one is filled up by and by: bytes that were given out never change. */
  readonly pieces: Buffer[];
}

/**
 * Encodes lists of items, commas between them. A list that goes on from the one before costs the bytes of what is new
 * and one comparison of pointers for each item that is not. Bytes are held once, and as long as the first item lives.
 */
export function inputEncoder(): (input: readonly Item[]) => readonly Uint8Array[] {
  const known = new WeakMap<Item, EncodedInput>();
  return (input) => {
    const first = input[0];
    if (first === undefined) return [];
    const encoded = known.get(first) ?? { items: [], ends: [], pieces: [] };
    known.set(first, encoded);
    cut(encoded, commonLength(encoded.items, input));
    for (let index = encoded.items.length; index < input.length; index++) add(encoded, input[index]!);
    const pieces: Uint8Array[] = encoded.pieces.slice();
    const filled = encoded.ends.at(-1)! % pieceBytes;
    if (filled > 0) pieces.push(pieces.pop()!.subarray(0, filled));
    return pieces;
  };
}

/** `Object.is` compares the pointers alone; `===` looks into both objects first. */
function commonLength(before: readonly Item[], now: readonly Item[]): number {
  const most = Math.min(before.length, now.length);
  for (let index = 0; index < most; index++) if (!Object.is(before[index], now[index])) return index;
  return most;
}

/** Keeps so many items. What the last piece then holds is copied: the old one may be on its way to a provider. */
function cut({ items, ends, pieces }: EncodedInput, length: number): void {
  if (length === items.length) return;
  items.length = length;
  ends.length = length;
  const end = ends.at(-1) ?? 0;
  pieces.length = Math.ceil(end / pieceBytes);
  const filled = end % pieceBytes;
  if (filled === 0) return;
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  pieces.at(-1)!.copy(piece, 0, 0, filled);
  pieces[pieces.length - 1] = piece;
}

function add(encoded: EncodedInput, item: Item): void {
  const { items, ends } = encoded;
  const isFirst = items.length === 0;
  const stored = storedBytes(item);
  const end = ends.at(-1) ?? 0;
  // The first item has no comma before it.
  const length =
    stored === undefined
      ? addText(encoded, end, isFirst ? itemText(item) : `,${itemText(item)}`)
      : addBytes(encoded, end, isFirst ? stored.subarray(1) : stored);
  items.push(item);
  ends.push(end + length);
}

/** Most texts are short: they are encoded where they will stand. */
function addText(encoded: EncodedInput, end: number, text: string): number {
  const at = end % pieceBytes;
  const fits = at > 0 && text.length * mostBytesPerUnit <= pieceBytes - at;
  return fits ? encoded.pieces.at(-1)!.write(text, at) : addBytes(encoded, end, Buffer.from(text, 'utf8'));
}

function addBytes({ pieces }: EncodedInput, end: number, bytes: Buffer): number {
  for (let from = 0; from < bytes.length;) {
    const at = (end + from) % pieceBytes;
    if (at === 0) pieces.push(Buffer.allocUnsafeSlow(pieceBytes));
    from += bytes.copy(pieces.at(-1)!, at, from);
  }
  return bytes.length;
}
