import { makeCode } from './string-end-code.ts';

/** The characters that may follow a backslash where there is one way to write them. */
const escaped = '"\\bfnrt';
const backslash = 0x5c;

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

let scanner: Scanner | 'none' | undefined;

/** The first bytes of memory say what may follow a backslash. The byte before the text is no backslash. */
const textAt = 256 + 1;

/**
 * Where the content of a JSON string ends that begins at `start`: before its quotation mark, or before the first byte
 * that is not written as `JSON.stringify` writes it. Bytes beyond ASCII are taken for what they should be. Never behind
 * `end`. Undefined where only parsing can tell: this process has no WebAssembly.
 *
 * Sixteen bytes at a time, in WebAssembly: done otherwise, nothing in opening a long turn took as long.
 */
export function stringEnd(bytes: Buffer, start: number, end: number): number | undefined {
  scanner ??= makeScanner();
  if (scanner === 'none') return undefined;
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
