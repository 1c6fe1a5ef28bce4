import { asItem, type Item, rememberItemText, setUnreadOutput } from '../../../protocol/item.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import { asciiOnly, decodeText } from './line-format.ts';
import type { PeekedLine, RawLine } from './split-lines.ts';
import { makeWasmModule } from './string-end-wasm.ts';
import { isUtf8 } from 'node:buffer';

/** Parsing and serialising a shorter line is as fast as examining it here. */
const worthKeeping = 2048;
/** Placeholder for a long string. If the line itself contains it, no shortcut is taken. */
const hole = '\uffff';
const restOf = ({ metadata }: Line): string =>
  metadata === undefined ? '}' : `,"metadata":${JSON.stringify(metadata)}}`;

/** Serialising a long item takes longer than reading it, so its text is kept if serialising would give the same. */
export function rememberStoredItem(line: Line, raw: RawLine, payloadAt: number): void {
  const item = line.type === lineType.responseItem && raw.length > worthKeeping ? asItem(line.payload) : undefined;
  if (item === undefined) return;
  const { bytes } = raw;
  const rest = restOf(line);
  const end = bytes.length - Buffer.byteLength(rest);
  if (!standsAt(bytes, end, rest)) return;
  const text = bytes.subarray(payloadAt, end);
  if (isTextOf(text, item)) rememberItemText(item, raw.kept ? text : Buffer.from(text));
}

const longString = 256;

/**
 * True if the text of an item equals its `JSON.stringify` form. Capstan compares all but the long string, whose
 * characters have only one spelling each. False unless exactly one string is long.
 */
function isTextOf(text: Buffer, item: Item): boolean {
  const around = JSON.stringify(item, withoutLongStrings).split(hole);
  const [before = '', after = ''] = around;
  const end = text.length - Buffer.byteLength(after);
  return (
    around.length === 2 &&
    standsAt(text, 0, before) &&
    standsAt(text, end, after) &&
    jsonStringEnd(text, Buffer.byteLength(before), end) === end
  );
}

const withoutLongStrings = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > longString ? hole : value;

function standsAt(bytes: Buffer, at: number, text: string): boolean {
  const wanted = Buffer.from(text);
  return at >= 0 && bytes.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0;
}

const key = '"output":"';
const longestRest = 2048;

/**
 * Parses a line except for the long tool output in it: long threads consist mostly of outputs, which are sent to the
 * model as stored. Undefined, so that the caller must parse the line, if it holds no such output, if `JSON.stringify`
 * would write it differently, or if it is invalid JSON.
 */
export function parseLineWithoutOutput(raw: RawLine, { type, payloadType, payloadAt }: PeekedLine): Line | undefined {
  if (raw.length < worthKeeping || type !== lineType.responseItem || !payloadType?.endsWith('_output')) return;
  const beginning = raw.latin1(0, payloadAt + longestRest);
  const start = beginning.indexOf(key, payloadAt) + key.length;
  if (start < payloadAt + key.length) return;
  const endInBlock = jsonStringEnd(raw.block, raw.start + start, raw.end);
  if (raw.end - endInBlock > longestRest) return;
  const end = endInBlock - raw.start;
  const [head, tail] = [beginning.slice(0, start), raw.latin1(end)];
  if (!asciiOnly.test(head) || !asciiOnly.test(tail)) return;
  const line = decodeText(`${head}\\uffff${tail}`);
  const item = line === 'bad' ? undefined : asItem(line.payload);
  if (line === 'bad' || item?.['output'] !== hole) return;
  const [before, after, ...more] = JSON.stringify(item).split(hole);
  const rest = restOf(line);
  if (more.length > 0 || head.slice(payloadAt) !== before || tail !== after + rest) return;
  const stored = raw.block.subarray(raw.start + payloadAt, raw.end - rest.length);
  if (!isUtf8(stored)) return;
  const text = raw.kept ? stored : Buffer.from(stored);
  rememberItemText(item, text);
  setUnreadOutput(item, { text, start: start - payloadAt - 1, end: end - payloadAt + 1 });
  return line;
}

declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly scan: Scanner['scan'] };
  };
};

interface Scanner {
  /** Finds the first byte between two addresses that cannot be part of the string's content. */
  readonly scan: (from: number, to: number) => number;
  readonly memory: Buffer;
}

/** Escapes that `JSON.stringify` writes for characters with one spelling. */
const escaped = '"\\bfnrt';
const backslash = 0x5c;
/** Memory begins with a table of the bytes allowed after a backslash. The byte before the text must be no backslash. */
const textAt = 256 + 1;
let scanner: Scanner | 'none' | undefined;

/**
 * The end of the JSON string content that begins at `start`: its closing quotation mark, the first byte that
 * `JSON.stringify` would not write, or `end`. Bytes beyond ASCII are assumed valid. Uses WebAssembly, 16 bytes at a
 * time: otherwise this would be the slowest part of opening a long turn.
 */
export function jsonStringEnd(bytes: Buffer, start: number, end: number): number {
  scanner ??= makeScanner();
  if (scanner === 'none') return endByPattern(bytes, start, end);
  const { scan, memory } = scanner;
  for (let at = start; ;) {
    const length = bytes.copy(memory, textAt, at, Math.min(end, at + memory.length - textAt));
    const passed = scan(textAt, textAt + length) - textAt;
    at += passed;
    // An escape cut at the end of memory is scanned again with its second half.
    const isCut = passed === length || (passed === length - 1 && memory[textAt + passed] === backslash);
    if (!isCut || at === end || passed === 0) return at;
  }
}

/** `none`: Node lacks the compiler, the processor lacks vector instructions, or a memory limit forbids WebAssembly. */
function makeScanner(): Scanner | 'none' {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(makeWasmModule()));
    const memory = Buffer.from(exports.memory.buffer);
    for (const character of escaped) memory[character.charCodeAt(0)] = 1;
    return { scan: exports.scan, memory };
  } catch {
    return 'none';
  }
}

/** Runs of bytes without escapes, and escapes that `JSON.stringify` writes. Never backtracks. */
const content = /[^"\\\x00-\x1f]*(?:\\["\\bfnrt][^"\\\x00-\x1f]*)*/y;
/** V8 keeps some bytes per escape until a match ends, up to a limit. */
const pieceLength = 4096;

/** Portable fallback, four times slower. */
export function endByPattern(bytes: Buffer, start: number, end: number): number {
  for (let at = start; ;) {
    const piece = bytes.toString('latin1', at, Math.min(end, at + pieceLength));
    content.lastIndex = 0;
    content.test(piece);
    const passed = content.lastIndex;
    at += passed;
    // An escape cut at the end of a piece is scanned again with its second half.
    if (passed < piece.length - 1 || passed === 0) return at;
  }
}
