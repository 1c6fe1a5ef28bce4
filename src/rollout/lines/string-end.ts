import { makeCode } from './string-end-code.ts';

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
