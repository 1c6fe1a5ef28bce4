/** The bytes of an address in its usual spelling, 4 or 16 of them; undefined for all else. A zone is ignored. */
export function addressBytes(text: string): readonly number[] | undefined {
  return text.includes(':') ? version6Bytes(text.replace(/%.*$/s, '')) : version4Bytes(text);
}

function version4Bytes(text: string): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function version6Bytes(text: string): readonly number[] | undefined {
  const [before = '', after, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const head = groupBytes(before);
  const tail = after === undefined ? [] : groupBytes(after);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function groupBytes(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    } else {
      // The last 32 bits may be spelled as an address of version 4.
      const last = index === groups.length - 1 ? version4Bytes(group) : undefined;
      if (last === undefined) return undefined;
      bytes.push(...last);
    }
  }
  return bytes;
}

/** First bytes and how many bits of them count. */
type Range = readonly [bytes: readonly number[], bits: number];

/** What is not the public internet: this machine, private and shared networks, documentation, multicast, the future. */
const closed4: readonly Range[] = [
  [[0], 8],
  [[10], 8],
  [[100, 64], 10],
  [[127], 8],
  [[169, 254], 16],
  [[172, 16], 12],
  [[192, 0, 0], 24],
  [[192, 0, 2], 24],
  [[192, 88, 99], 24],
  [[192, 168], 16],
  [[198, 18], 15],
  [[198, 51, 100], 24],
  [[203, 0, 113], 24],
  [[224], 4],
  [[240], 4],
];

/** Of version 6 only this is the public internet, but for protocol assignments, documentation and 6to4. */
const open6: Range = [[0x20], 3];
const closed6: readonly Range[] = [
  [[0x20, 0x01, 0x00], 23],
  [[0x20, 0x01, 0x0d, 0xb8], 32],
  [[0x3f, 0xff, 0x00], 20],
];

/** Ranges that carry an address of version 4, and where. */
const carriers: readonly { readonly range: Range; readonly at: number }[] = [
  { range: [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96], at: 12 },
  { range: [[0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], 96], at: 12 },
  { range: [[0x20, 0x02], 16], at: 2 },
];

/** Whether the address belongs to the public internet. What is no address does not. */
export function isPublicAddress(text: string): boolean {
  const bytes = addressBytes(text);
  if (bytes === undefined) return false;
  if (bytes.length === 4) return !closed4.some((range) => isInRange(bytes, range));
  const carrier = carriers.find(({ range }) => isInRange(bytes, range));
  if (carrier !== undefined) return isPublicAddress(bytes.slice(carrier.at, carrier.at + 4).join('.'));
  return isInRange(bytes, open6) && !closed6.some((range) => isInRange(bytes, range));
}

/** An address of version 4 that is spelled as one of version 6 reaches the same machine. */
export function mappedAddress(bytes: readonly number[]): string | undefined {
  const [mapped] = carriers;
  return mapped !== undefined && bytes.length === 16 && isInRange(bytes, mapped.range)
    ? bytes.slice(12).join('.')
    : undefined;
}

const linkLocal: readonly Range[] = [
  [[0xfe, 0x80], 10],
  [[0xff], 8],
];

/** Whether the address means something else in each network. */
export function hasZones(bytes: readonly number[]): boolean {
  return bytes.length === 16 && linkLocal.some((range) => isInRange(bytes, range));
}

/** Whether the address leads to this machine: `127.0.0.0/8`, `::1`, and the unspecified `0.0.0.0` and `::`. */
export function isLoopbackAddress(text: string): boolean {
  const bytes = addressBytes(text);
  if (bytes === undefined) return false;
  const mapped = mappedAddress(bytes);
  if (mapped !== undefined) return isLoopbackAddress(mapped);
  const [first] = bytes;
  const isZero = bytes.slice(0, -1).every((byte) => byte === 0) && (bytes.at(-1) ?? 0) <= (bytes.length === 4 ? 0 : 1);
  return isZero || (bytes.length === 4 && first === 127);
}

function isInRange(bytes: readonly number[], [prefix, bits]: Range): boolean {
  return Array.from({ length: Math.ceil(bits / 8) }).every((_, index) => {
    const mask = 0xff & (0xff00 >> Math.min(8, bits - index * 8));
    return ((bytes[index] ?? 0) & mask) === ((prefix[index] ?? 0) & mask);
  });
}
