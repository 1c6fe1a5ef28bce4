import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OpenFile } from '../../../ports/files.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { type RawLine, splitLinesBackward, splitLinesForward } from './split-lines.ts';

interface Place {
  readonly text: string;
  readonly at: number;
  readonly terminated: boolean;
}

async function fileWith(text: string): Promise<OpenFile> {
  const file = await new SimulatedDisk().open('/file', { create: true, mode: 0o600 });
  await file.append(Buffer.from(text, 'latin1'));
  return file;
}

/** As a real disk does it: into the memory that it is given. */
function intoMemory(file: OpenFile): OpenFile {
  return {
    ...file,
    async read(position, length, memory = new Uint8Array(length)) {
      const bytes = await file.read(position, length);
      memory.set(bytes);
      return memory.subarray(0, bytes.length);
    },
  };
}

/** The lines, by the simplest way to cut a text. Empty ones are none. */
function placesIn(text: string): readonly Place[] {
  const lines = text.split('\n');
  let at = 0;
  return lines
    .map((line, index): Place => {
      const place = { text: line, at, terminated: index < lines.length - 1 };
      at += line.length + 1;
      return place;
    })
    .filter(({ text: line }) => line !== '');
}

const placeOf = (line: RawLine): Place => ({ text: line.latin1(), at: line.at, terminated: line.terminated });

/** Looked at while they are valid. */
async function placesOf(lines: AsyncIterable<readonly RawLine[]>): Promise<readonly Place[]> {
  const places: Place[] = [];
  for await (const block of lines) places.push(...block.map(placeOf));
  return places;
}

const [first, later] = [64 * 1024, 1024 * 1024];
/** Most lines end near the border of a block, counted from either end, or go over several. */
const near = (length: number): fc.Arbitrary<number> => fc.integer({ min: length - 3, max: length + 3 });
const lengths = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.nat(3) },
    { weight: 2, arbitrary: fc.oneof(near(first), near(first / 2)) },
    { weight: 1, arbitrary: fc.oneof(near(later), near(later - first), near(3 * later)) },
  ),
  { maxLength: 8 },
);
const texts = fc
  .tuple(lengths, fc.boolean())
  .map(([all, ended]) => all.map((length, index) => String(index).repeat(length)).join('\n') + (ended ? '\n' : ''));

describe('the lines of a file', () => {
  test('are the same whichever way they are read', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.boolean(), async (text, real) => {
        const file = real ? intoMemory(await fileWith(text)) : await fileWith(text);
        const expected = placesIn(text);
        const same = (found: readonly Place[]): boolean =>
          found.length === expected.length &&
          found.every(({ text: line, at, terminated }, index) => {
            const wanted = expected[index]!;
            return line === wanted.text && at === wanted.at && terminated === wanted.terminated;
          });
        expect(same(await placesOf(splitLinesForward(file)))).toBe(true);
        expect(same((await placesOf(splitLinesBackward(file))).toReversed())).toBe(true);
        // All of them stay valid.
        const kept = (await Array.fromAsync(splitLinesBackward(file, { keep: true }))).flat();
        expect(same(kept.toReversed().map(placeOf))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('are found in files that are as long as a block, or one byte longer or shorter', async () => {
    for (const size of [first, first + later, first + 2 * later]) {
      for (const length of [size - 1, size, size + 1]) {
        const text = `${'x'.repeat(length - 3)}\ny\n`;
        const file = await fileWith(text);
        const back = (await Array.fromAsync(splitLinesBackward(file, { keep: true }))).flat().toReversed();
        expect(back.map(placeOf)).toEqual(placesIn(text));
        expect(await placesOf(splitLinesForward(file))).toEqual(placesIn(text));
      }
    }
  });

  test('that are kept share no memory', async () => {
    const content = Buffer.from(`${'one\n'.repeat(100_000)}two\n${'x'.repeat(later)}`);
    const before = Buffer.from(content);
    const file = { ...(await fileWith('')), size: async () => content.length };
    // As a compressed file does it: a part of what it holds.
    file.read = async (position, length) => content.subarray(position, position + length);
    for await (const block of splitLinesBackward(file, { keep: true })) {
      for (const line of block) if (line.kept) line.bytes.fill(0);
    }
    expect(content.equals(before)).toBe(true);
  });
});

describe('a file that changes while it is read backwards', () => {
  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => `line ${from + index} ${'x'.repeat(1000)}\n`).join('');

  test('shows nothing of what is appended', async () => {
    const file = await fileWith(lines(0, 3000));
    const found: RawLine[] = [];
    for await (const block of splitLinesBackward(file, { keep: true })) {
      found.push(...block);
      await file.append(Buffer.from(lines(5000, 5100)));
    }
    expect(found.toReversed().map(placeOf)).toEqual(placesIn(lines(0, 3000)));
  });

  test('shows what is left of it when half a line is cut off its end', async () => {
    const half = 'y'.repeat(2 * later);
    for (const rounds of [0, 1, 2]) {
      const file = await fileWith(lines(0, 1500) + half);
      const { length } = lines(0, 1500);
      let reads = 0;
      const mended: OpenFile = {
        ...file,
        async read(...given) {
          if (reads++ === rounds) await file.truncate(length);
          return file.read(...given);
        },
      };
      const found = (await Array.fromAsync(splitLinesBackward(mended, { keep: true }))).flat().toReversed();
      expect(found.filter(({ terminated }) => terminated).map(placeOf)).toEqual(placesIn(lines(0, 1500)));
    }
  });
});

describe('reading ahead', () => {
  const text = `${'x'.repeat(999)}\n`.repeat(5000);

  test('reports a failure when it is asked for the lines, and not before', async () => {
    const file = await fileWith(text);
    let reads = 0;
    const failing: OpenFile = {
      ...file,
      async read(...given) {
        reads += 1;
        if (reads === 2) throw new Error('EIO: the disk is broken');
        return file.read(...given);
      },
    };
    const blocks = splitLinesBackward(failing, { keep: true });
    expect((await blocks.next()).value).toHaveLength(Math.floor(first / 1000));
    // By now it has failed, before any caller asked: an unhandled rejection would end the process.
    await nextRound();
    await expect(blocks.next()).rejects.toThrow('EIO: the disk is broken');
    expect({ reads, end: await blocks.next() }).toEqual({ reads: 2, end: { done: true, value: undefined } });
  });

  test('has ended when a reader that stops early returns', async () => {
    const file = await fileWith(text);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let pending = 0;
    const slow: OpenFile = {
      ...file,
      async read(position, ...rest) {
        pending += 1;
        if (position + first < text.length) await released;
        pending -= 1;
        return file.read(position, ...rest);
      },
    };
    const blocks = splitLinesBackward(slow, { keep: true });
    await blocks.next();
    let stopped = false;
    const stopping = blocks.return().then(() => (stopped = true));
    await nextRound();
    expect({ pending, stopped }).toEqual({ pending: 1, stopped: false });
    release();
    await stopping;
    expect({ pending, stopped }).toEqual({ pending: 0, stopped: true });
  });
});
