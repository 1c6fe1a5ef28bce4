import { asItem, type Item, rememberItemText, setUnreadOutput } from '../../../protocol/item.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import { asciiOnly, decodeText } from './line-format.ts';
import type { PeekedLine, RawLine } from './split-lines.ts';
import { makeCode } from './string-end-wasm.ts';
import { isUtf8 } from 'node:buffer';

/** A shorter line is parsed, and the text of its item made, as fast as it is looked at here. */
const worthKeeping = 2048;
/** Stands for a long string. If it is in the line too, the line is treated as any other. */
const hole = '\uffff';

/** What stands in a line behind its payload. */
function restOf({ metadata }: Line): string {
  return metadata === undefined ? '}' : `,"metadata":${JSON.stringify(metadata)}}`;
}

/**
 * Items are sent to the model as they stand in their lines. To make the text of a long one again would take longer than
 * to read it, so it is kept, if it is what would be made.
 */
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

const key = '"output":"';
/** What stands before and after the output is short. */
const longestRest = 2048;

/**
 * A line with a long output of a tool: all but the output is parsed. Most of a long thread is such outputs, and they are
 * sent to the model as they stand. Undefined if the line is another one, if it is not what `JSON.stringify` would make
 * of it, or if it is no line at all: then it must be parsed to know.
 */
export function unreadOutputLine(raw: RawLine, { type, payloadType, payloadAt }: PeekedLine): Line | undefined {
  if (raw.length < worthKeeping || type !== lineType.responseItem || !payloadType?.endsWith('_output')) return;
  const beginning = raw.latin1(0, payloadAt + longestRest);
  const start = beginning.indexOf(key, payloadAt) + key.length;
  if (start < payloadAt + key.length) return;
  const endInBlock = stringEnd(raw.block, raw.start + start, raw.end);
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

/** As much of it as is used here. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly scan: Scanner['scan'] };
  };
};

interface Scanner {
  /** From one place in memory to another: where the first byte stands that ends the text. */
  readonly scan: (from: number, to: number) => number;
  readonly memory: Buffer;
}

/** The characters that may follow a backslash where there is one way to write them. */
const escaped = '"\\bfnrt';
const backslash = 0x5c;

/** The first bytes of memory say what may follow a backslash. The byte before the text is no backslash. */
const textAt = 256 + 1;

let scanner: Scanner | 'none' | undefined;

/**
 * Where the content of a JSON string ends that begins at `start`: before its quotation mark, or before the first byte
 * that is not written as `JSON.stringify` writes it. Bytes beyond ASCII are taken for what they should be. Never behind
 * `end`. Sixteen bytes at a time, in WebAssembly: done otherwise, nothing in opening a long turn takes as long.
 */
export function stringEnd(bytes: Buffer, start: number, end: number): number {
  scanner ??= makeScanner();
  if (scanner === 'none') return endByPattern(bytes, start, end);
  const { scan, memory } = scanner;
  for (let at = start; ;) {
    const length = bytes.copy(memory, textAt, at, Math.min(end, at + memory.length - textAt));
    const passed = scan(textAt, textAt + length) - textAt;
    at += passed;
    // The half of an escape at the end of memory is looked at again with its other half.
    const isCut = passed === length || (passed === length - 1 && memory[textAt + passed] === backslash);
    if (!isCut || at === end || passed === 0) return at;
  }
}

/**
 * None where Node runs without its compiler, where the processor knows no rows of bytes, and where a limit leaves no
 * room for the addresses that WebAssembly reserves, gigabytes of them.
 */
function makeScanner(): Scanner | 'none' {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(makeCode()));
    const memory = Buffer.from(exports.memory.buffer);
    for (const character of escaped) memory[character.charCodeAt(0)] = 1;
    return { scan: exports.scan, memory };
  } catch {
    return 'none';
  }
}

/** Any run of bytes that need no escape, then an escape that `JSON.stringify` writes, and so on. It never backs off. */
const content = /[^"\\\x00-\x1f]*(?:\\["\\bfnrt][^"\\\x00-\x1f]*)*/y;

/** V8 keeps some bytes for each escape until a match ends, and has a limit for them. */
const pieceLength = 4096;

/** The same, four times slower, on every machine. */
export function endByPattern(bytes: Buffer, start: number, end: number): number {
  for (let at = start; ;) {
    const piece = bytes.toString('latin1', at, Math.min(end, at + pieceLength));
    content.lastIndex = 0;
    content.test(piece);
    const passed = content.lastIndex;
    at += passed;
    // The half of an escape at the end of a piece is looked at again with its other half.
    if (passed < piece.length - 1 || passed === 0) return at;
  }
}
