import fc from 'fast-check';

const pieces = 64;
/** In microseconds. Garbage collection alone can take this long. */
const nothing = 30_000;

/**
 * Fails if the work grows much faster than its input: compares one input of `size` with 64 inputs of a 64th of it.
 * Linear work takes about as long for both, quadratic work 64 times as long. Measures processor time in the same run,
 * so that the machine's load does not count. Returns the result for the whole input.
 */
export function expectLinear<Result>(size: number, work: (size: number) => Result): Result {
  const inPieces = (): void => {
    for (let piece = 0; piece < pieces; piece++) work(Math.ceil(size / pieces));
  };
  // Warm-up for the compiler.
  inPieces();
  let result: Result;
  const whole = (): void => void (result = work(size));
  let [most, spent] = [0, 0];
  for (let round = 0; round < 3 && spent >= most; round++) {
    most = nothing + 8 * processorTime(inPieces);
    spent = processorTime(whole);
  }
  if (spent >= most)
    throw new Error(`${spent} µs for one input, and ${most} µs are the most for as much in small ones.`);
  return result!;
}

/** In microseconds. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const [firstSurrogate, surrogates, last] = [0xd800, 0x800, 0x10_ffff];

/** For `fc.string`: any code point except surrogates. `binary` costs every process a second and 100 MB. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(last - surrogates)
  .map((index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates));
