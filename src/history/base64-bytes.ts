/** Bytes that are read where they are wanted. Beyond the end everything is 0. */
export interface Bytes {
  readonly length: number;
  at(index: number): number;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...digits].map((digit, value) => [digit.charCodeAt(0), value]));

/** The bytes behind base64 text. Nothing is decoded ahead: a picture of megabytes says its size in its first bytes. */
export function base64Bytes(text: string): Bytes {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = Math.floor(((text.length - padding) * 3) / 4);
  const sixBits = (index: number): number => values.get(text.charCodeAt(index)) ?? 0;
  return {
    length,
    at(index) {
      if (index < 0 || index >= length) return 0;
      const group = Math.floor(index / 3) * 4;
      const place = index % 3;
      const pair = (sixBits(group + place) << 6) | sixBits(group + place + 1);
      return (pair >> (4 - 2 * place)) & 0xff;
    },
  };
}

export function bigEndian(bytes: Bytes, at: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value = value * 256 + bytes.at(at + index);
  return value;
}

export function littleEndian(bytes: Bytes, at: number, count: number): number {
  let value = 0;
  for (let index = count - 1; index >= 0; index--) value = value * 256 + bytes.at(at + index);
  return value;
}

export function standsAt(bytes: Bytes, at: number, latin1: string): boolean {
  for (let index = 0; index < latin1.length; index++) {
    if (bytes.at(at + index) !== latin1.charCodeAt(index)) return false;
  }
  return at + latin1.length <= bytes.length;
}
