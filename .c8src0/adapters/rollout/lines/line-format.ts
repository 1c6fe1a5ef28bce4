import type { HistoryMode } from '../../../ports/thread-store.ts';
import type { Ordinal } from '../../../protocol/ids.ts';
import { isJsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import type { RawLine } from './split-lines.ts';
import { isAscii } from 'node:buffer';

/** A line as written to disk, including its newline. Undefined members are left out. */
export function encodeLine(line: Line): string {
  const { timestamp, ordinal, type, payload, metadata } = line;
  return `${JSON.stringify({ timestamp, ordinal, type, payload, metadata })}\n`;
}

// Invalid UTF-8 makes a bad line. Replacing bytes would produce text that no program wrote.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the bytes between two newlines. A line is a JSON object with a string `type` and an object `payload`; other
 * keys are kept as they are. A key of `Line` with a value of the wrong kind is read as missing (a timestamp as empty),
 * so that the result type holds.
 */
export function decodeLine(bytes: Uint8Array): Line | 'blank' | 'bad' {
  const first = bytes.findIndex((byte) => !isBlank(byte));
  if (first === -1) return 'blank';
  // Decode only what may be an object: a file may be full of something else.
  if (bytes[first] !== openBrace && bytes[first] !== markBegin) return 'bad';
  let text: string;
  try {
    text = isAscii(bytes) ? latin1(bytes) : utf8.decode(bytes);
  } catch {
    return 'bad';
  }
  return decodeText(text);
}

/** Requires a line that is not blank. */
export function decodePeeked(raw: RawLine): Line | 'bad' {
  try {
    const text = raw.utf8();
    return decodeText(text.includes(replacement) ? utf8.decode(raw.bytes) : text);
  } catch {
    return 'bad';
  }
}

/** Node puts it in place of invalid UTF-8. A line may also contain it itself. */
const replacement = '\ufffd';
export const asciiOnly = /^[\0-\x7f]*$/;
/** Calling the decoder takes a hundred times as long as decoding a short text. */
const latin1 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');

/** Requires a text that is not blank. */
export function decodeText(text: string): Line | 'bad' {
  const value = parseJsonObject(text);
  if (value === undefined || typeof value['type'] !== 'string' || !isJsonObject(value['payload'])) return 'bad';
  const { timestamp, ordinal, metadata } = value;
  const regular =
    typeof timestamp === 'string' &&
    (ordinal === undefined || isOrdinal(ordinal)) &&
    (metadata === undefined || isJsonObject(metadata));
  // The checks above are the type's; further keys are kept.
  if (regular) return value as unknown as Line;
  const { ordinal: _ordinal, metadata: _metadata, ...rest } = value;
  return {
    ...rest,
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    ...(isOrdinal(ordinal) ? { ordinal } : {}),
    ...(isJsonObject(metadata) ? { metadata } : {}),
  } as unknown as Line;
}

/** Other programs use 64 bits, so a legal ordinal may exceed the exact range of a number. */
const isOrdinal = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const openBrace = 0x7b;
/** First byte of a byte order mark, which editors put before a text. */
const markBegin = 0xef;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;
export type HistoryBase = { readonly rolloutId: string; readonly end: Ordinal; readonly endByte: number };

export function historyBase(meta: JsonObject): HistoryBase | undefined {
  const base = objectAt(meta, 'history_base');
  if (base === undefined) return undefined;
  return {
    // The shared key says "thread" but means a rollout.
    rolloutId: stringAt(base, 'thread_id') ?? '',
    end: (numberAt(base, 'end_ordinal_exclusive') ?? 0) as Ordinal,
    endByte: numberAt(base, 'end_byte_offset') ?? 0,
  };
}

export function withBase({ history_base: _old, ...meta }: JsonObject, base: HistoryBase | undefined): JsonObject {
  if (base === undefined) return meta;
  const { rolloutId, end, endByte } = base;
  return { ...meta, history_base: { thread_id: rolloutId, end_ordinal_exclusive: end, end_byte_offset: endByte } };
}

/** Undefined when a rollout is in an unknown form. */
export function historyMode(meta: JsonObject): HistoryMode | undefined {
  const mode = meta['history_mode'] ?? 'legacy';
  return mode === 'legacy' || mode === 'paginated' ? mode : undefined;
}
