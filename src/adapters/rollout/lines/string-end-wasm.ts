// The program of `stored-item-text.ts`, assembled here so that nothing is compiled at install. WebAssembly defines the
// stack effect of each instruction; `at` is the current position.

type Code = readonly number[];
const i32 = 0x7f;
const v128 = 0x7b;
const nothing = 0x40;
const [at, to, byte, limit, bytes, escapes] = [0, 1, 2, 3, 4, 5] as const;
const parameters = [i32, i32];
/** Two numbers, two rows of sixteen bytes. */
const locals = [2, 2, i32, 2, v128];
const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const tee = (local: number): Code => [0x22, local];
const number = (value: number): Code => [0x41, ...signed(value)];
const equal = [0x46];
const isZero = [0x45];
const below = [0x49];
const notAbove = [0x4d];
const notBelow = [0x4f];
const add = [0x6a];
const or = [0x72];
/** The byte at the address on the stack, plus an offset. */
const loadByte = (offset = 0): Code => [0x2d, 0, offset];
const giveBack = [0x0f];
const end = [0x0b];
const when = (...code: Code[]): Code => [0x04, nothing, ...code.flat(), ...end];
const loop = (...code: Code[]): Code => [0x03, nothing, ...code.flat(), ...end];
/** Branches to the beginning of the loop that is `blocks` levels out. */
const again = (blocks: number): Code => [0x0c, blocks];
const againIf = (blocks: number): Code => [0x0d, blocks];
const loadRow = [0xfd, 0, 0, 0];
const row = (values: Code): Code => [0xfd, 12, ...values];
const rowOf = (value: number): Code => [...number(value), 0xfd, 15];
/** Each byte of the second row selects one of the first. */
const choose = [0xfd, 14];
const equalInRow = [0xfd, 35];
const belowInRow = [0xfd, 38];
const andRows = [0xfd, 78];
const butNotRow = [0xfd, 79];
const orRows = [0xfd, 80];
const anyInRow = [0xfd, 83];
const upperHalves = [...number(4), 0xfd, 109];

/**
 * A byte may follow a backslash if its two halves share a bit. The upper halves of these bytes are 2, 5, 6 and 7, with
 * a bit each; a lower half has the bits of the upper halves that it occurs with.
 */
const ofUpperHalf = [0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0];
const ofLowerHalf = [0, 0, 1 | 4 | 8, 0, 8, 0, 4, 0, 0, 0, 0, 0, 2, 0, 4, 0];
const before: Code = [...get(at), ...number(-1), ...add];
const goOn = (count: number): Code => [...get(at), ...number(count), ...add, ...set(at)];
const stopIf = when(get(at), giveBack);

/** A row that is non-zero where a byte ends the text, or where it must be checked byte by byte. */
const doubts = (): Code =>
  [
    [...get(at), ...loadRow, ...tee(bytes), ...rowOf(firstPrintable), ...belowInRow],
    // Quotation marks without a preceding backslash.
    [...get(bytes), ...rowOf(quote), ...equalInRow],
    [...before, ...loadRow, ...rowOf(backslash), ...equalInRow, ...tee(escapes), ...butNotRow, ...orRows],
    // After a backslash: bytes not allowed there, and another backslash, which escapes nothing itself.
    get(escapes),
    [...row(ofUpperHalf), ...get(bytes), ...upperHalves, ...choose],
    [...row(ofLowerHalf), ...get(bytes), ...rowOf(0x0f), ...andRows, ...choose, ...andRows],
    [...rowOf(0), ...equalInRow],
    [...get(bytes), ...rowOf(backslash), ...equalInRow, ...orRows],
    [...andRows, ...orRows],
  ].flat();

const sixteen = (): Code => when([...doubts(), ...anyInRow, ...isZero], when(goOn(16), again(2)));

/** Steps through sixteen bytes, and on past any backslash: a row must not begin after an escaped one. */
const oneByOne = (): Code =>
  loop(
    [...get(at), ...get(to), ...notBelow, ...stopIf],
    [...get(at), ...loadByte(), ...tee(byte), ...number(firstPrintable), ...below],
    [...get(byte), ...number(quote), ...equal, ...or, ...stopIf],
    [...get(byte), ...number(backslash), ...equal],
    when(
      [...get(at), ...number(1), ...add, ...get(to), ...notBelow, ...stopIf],
      // The first bytes of memory are a table of bytes allowed after a backslash.
      [...get(at), ...loadByte(1), ...loadByte(), ...isZero, ...stopIf],
      goOn(1),
    ),
    goOn(1),
    [...get(at), ...get(limit), ...below],
    [...before, ...loadByte(), ...number(backslash), ...equal, ...or, ...againIf(0)],
  );

const scan = (): Code =>
  [
    loop(
      [...get(at), ...number(16), ...add, ...get(to), ...notAbove],
      sixteen(),
      // If the byte before is a backslash, begin with it: it forms an escape with the byte here.
      [...before, ...loadByte(), ...number(backslash), ...equal],
      when(before, set(at)),
      [...get(at), ...number(16), ...add, ...set(limit)],
      oneByOne(),
      again(0),
    ),
    get(at),
    end,
  ].flat();

/** `\0asm`, version 1. */
const firstBytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const named = (name: string): Code => [name.length, ...Buffer.from(name)];

/** A module with `scan(from, to)` and two pages of `memory`. Made on use: most starts do not need it. */
export function makeWasmModule(): Uint8Array {
  const body = [...locals, ...scan()];
  return new Uint8Array([
    ...firstBytes,
    ...section(1, [1, 0x60, parameters.length, ...parameters, 1, i32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 2]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('scan'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

/** LEB128: seven bits per byte, lowest first; the highest bit means that more follow. */
const unsigned = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]);

/** The last seven bits include the sign. */
function signed(value: number): Code {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
