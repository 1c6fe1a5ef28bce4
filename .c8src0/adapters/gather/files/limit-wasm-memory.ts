/**
 * Limits the memory of every WebAssembly module that this worker thread loads from now on. If the data of an image
 * contradicts its header, the decoder stops instead of using up the machine's memory.
 */

/** 1 GiB in pages of 64 KiB. The largest image that is decoded takes 750 MB. */
const mostPages = 16_384;
const memorySection = 5;

declare const WebAssembly: { Module: new (bytes: Uint8Array) => object };

const Unlimited = WebAssembly.Module;
WebAssembly.Module = class extends Unlimited {
  constructor(bytes: Uint8Array) {
    super(withMostMemory(bytes));
  }
};

/** The section has the number of memories (one), flags (bit 0: has an upper limit) and the initial number of pages. */
function withMostMemory(module: Uint8Array): Uint8Array {
  for (let at = 8; at < module.length;) {
    const length = numberAt(module, at + 1);
    const begin = at + 1 + length.size;
    const end = begin + length.value;
    if (module[at] === memorySection && module[begin] === 1 && module[begin + 1] === 0) {
      const limited = [1, 1, ...module.subarray(begin + 2, end), ...bytesOf(mostPages)];
      const section = [memorySection, ...bytesOf(limited.length), ...limited];
      return Buffer.concat([module.subarray(0, at), Buffer.from(section), module.subarray(end)]);
    }
    at = end;
  }
  throw new Error('The module has no memory that can be limited.');
}

/** LEB128: seven bits per byte, lowest first; the high bit says that another byte follows. */
function numberAt(bytes: Uint8Array, at: number): { readonly value: number; readonly size: number } {
  let value = 0;
  for (let size = 1; ; size++) {
    const byte = bytes[at + size - 1] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (size - 1));
    if (byte < 0x80) return { value, size };
  }
}

function bytesOf(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...bytesOf(value >>> 7)];
}
