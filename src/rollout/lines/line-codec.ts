import { isAscii } from 'node:buffer';
import { isJsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { Line } from '../../protocol/line.ts';
import type { RawLine } from './raw-line.ts';

/** The text of a line on disk, its newline included. Members that are undefined are left out. */
export function encodeLine(line: Line): string {
  const { timestamp, ordinal, type, payload, metadata } = line;
  return `${JSON.stringify({ timestamp, ordinal, type, payload, metadata })}\n`;
}

// Bytes that are not UTF-8 make a bad line. Replacing them would hand out text that no program wrote.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the bytes between two newlines. A line is a JSON object with a string `type` and an object `payload`; all
 * other keys are kept as they are. Where a foreign file has another kind of value under a key of `Line`, that key is
 * read as missing (a timestamp as empty), so that the type of the result holds.
 */
export function decodeLine(bytes: Uint8Array): Line | 'blank' | 'bad' {
  const first = bytes.findIndex((byte) => !isBlank(byte));
  if (first === -1) return 'blank';
  // A text is made and parsed only of what may be an object: a file may be full of something else.
  if (bytes[first] !== openBrace && bytes[first] !== markBegin) return 'bad';
  let text: string;
  try {
    text = isAscii(bytes) ? latin1(bytes) : utf8.decode(bytes);
  } catch {
    return 'bad';
  }
  return decodeText(text);
}

/** The same for a line whose beginning was looked at: it is not blank. */
export function decodePeeked(raw: RawLine): Line | 'bad' {
  try {
    const text = raw.utf8();
    return decodeText(text.includes(replacement) ? utf8.decode(raw.bytes) : text);
  } catch {
    return 'bad';
  }
}

/** Stands for bytes that are not UTF-8, unless it is in the line itself. */
const replacement = '\ufffd';

export const isPlain = /^[\0-\x7f]*$/;

/** The decoder takes a hundred times as long to be called as to decode a short text. */
function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

/** The same for a text that is not blank. */
export function decodeText(text: string): Line | 'bad' {
  const value = parseJsonObject(text);
  if (value === undefined || typeof value['type'] !== 'string' || !isJsonObject(value['payload'])) return 'bad';
  const { timestamp, ordinal, metadata } = value;
  const regular =
    typeof timestamp === 'string' &&
    (ordinal === undefined || isOrdinal(ordinal)) &&
    (metadata === undefined || isJsonObject(metadata));
  // The checks above are the type's; keys beyond it ride along.
  if (regular) return value as unknown as Line;
  const { ordinal: _ordinal, metadata: _metadata, ...rest } = value;
  return {
    ...rest,
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    ...(isOrdinal(ordinal) ? { ordinal } : {}),
    ...(isJsonObject(metadata) ? { metadata } : {}),
  } as unknown as Line;
}

/** Other programs count with 64 bits, so a legal ordinal may be larger than a number can hold exactly. */
function isOrdinal(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

const openBrace = 0x7b;
/** Of a byte order mark, which editors put before a text. */
const markBegin = 0xef;

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
