/*
 * Names on a disk are bytes, and not all are UTF-8: Latin-1 names of old archives, for instance. In a path of this
 * program each byte that is no part of a character is a lone surrogate, U+DC80 to U+DCFF, which no text has. Such a path
 * is compared and joined like any other, and becomes bytes again where it leaves the program.
 */

/** What Node puts in the place of bytes that it cannot read as UTF-8. */
const replacement = '\uFFFD';
const firstOddByte = 0xdc00;

/** A path for Node, which would write lone surrogates as another name. */
export function diskPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : pathBytes(path);
}

export function pathBytes(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path);
  const parts = path.split(/([\uDC80-\uDCFF])/u);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - firstOddByte))),
  );
}

/** A path or name as it is on the disk. */
export function pathText(bytes: Uint8Array): string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const read = (from: number, to: number): string | undefined => {
    try {
      return strict.decode(bytes.subarray(from, to));
    } catch {
      return undefined;
    }
  };
  const whole = read(0, bytes.length);
  if (whole !== undefined) return whole;
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] as number;
    if (byte < 0x80) {
      text += String.fromCharCode(byte);
      at += 1;
      continue;
    }
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    const character = read(at, at + length);
    text += character ?? String.fromCharCode(firstOddByte + byte);
    at += character === undefined ? 1 : length;
  }
  return text;
}

/** Whether a name as Node gives it may stand for another one. It may also be a name with this very character. */
export function mayBeOdd(name: string): boolean {
  return name.includes(replacement);
}
