import { asItem, type Item } from '../../protocol/item.ts';
import { rememberItemText } from '../../protocol/item-text.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import type { RawLine } from './raw-line.ts';
import { stringEnd } from './string-end.ts';

/** Making the text of a shorter item takes no longer than looking whether it is there already. */
const worthKeeping = 2048;

/**
 * Items are sent to the model as they stand in their lines. To make the text of a long one again would take longer than
 * to read it, so it is kept, if it is what would be made.
 */
export function rememberStoredItem({ type, payload, metadata }: Line, raw: RawLine, payloadAt: number): void {
  const item = type === lineType.responseItem && raw.length > worthKeeping ? asItem(payload) : undefined;
  if (item === undefined) return;
  const { bytes } = raw;
  const rest = metadata === undefined ? '}' : `,"metadata":${JSON.stringify(metadata)}}`;
  const end = bytes.length - Buffer.byteLength(rest);
  if (!standsAt(bytes, end, rest)) return;
  const text = bytes.subarray(payloadAt, end);
  if (isTextOf(text, item)) rememberItemText(item, raw.kept ? text : Buffer.from(text));
}

const longString = 256;
/** Stands for the long string. If it is in the item too, the item has too many of them. */
const hole = '\uffff';

/**
 * Whether the text that an item was parsed from is the one that `JSON.stringify` makes of it. Looked at only where all
 * but one of its strings are short: what is around the long one is made and compared, and inside it there is only one
 * way to write each character.
 */
function isTextOf(text: Buffer, item: Item): boolean {
  const around = JSON.stringify(item, withoutLongStrings).split(hole);
  const [before = '', after = ''] = around;
  const end = text.length - Buffer.byteLength(after);
  return (
    around.length === 2 &&
    standsAt(text, 0, before) &&
    standsAt(text, end, after) &&
    stringEnd(text, Buffer.byteLength(before), end) === end
  );
}

function withoutLongStrings(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > longString ? hole : value;
}

function standsAt(bytes: Buffer, at: number, text: string): boolean {
  const wanted = Buffer.from(text);
  return at >= 0 && bytes.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0;
}
