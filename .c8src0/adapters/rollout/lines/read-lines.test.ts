import { describe, expect, inject, test } from 'vitest';
import fc from 'fast-check';
import type { ReadReport } from '../../../ports/thread-store.ts';
import type { Ordinal } from '../../../protocol/ids.ts';
import type { Line, LineKind } from '../../../protocol/line.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { encodeLine } from './line-format.ts';
import { readRolloutLines, readRolloutLinesBack } from './read-lines.ts';
import { anyCharacter } from '../../../testing/test-inputs.ts';

const start = { from: 0 as Ordinal };
const line = (ordinal: number, text: string): Line => ({
  timestamp: '2026-11-15T00:00:00.000Z',
  ordinal: ordinal as Ordinal,
  type: 'event_msg',
  payload: { text },
});

async function fileWith(bytes: Uint8Array) {
  const file = await new SimulatedDisk().open('/file', { create: true, mode: 0o600 });
  await file.append(bytes);
  return file;
}

async function collect(lines: AsyncGenerator<Line, ReadReport>): Promise<{ lines: Line[]; skipped: number }> {
  const collected: Line[] = [];
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return { lines: collected, skipped: next.value.skipped };
    collected.push(next.value);
  }
}

async function bothWays(bytes: Uint8Array): Promise<{ lines: Line[]; skipped: number }> {
  const file = await fileWith(bytes);
  const forward = await collect(readRolloutLines(file, start));
  const backward = await collect(readRolloutLinesBack(file));
  expect({ ...backward, lines: backward.lines.toReversed() }).toEqual(forward);
  return forward;
}

/** Texts whose lines fall before, on and behind the borders of blocks, with characters of one to four bytes. */
const texts = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: anyCharacter }) },
  { weight: 1, arbitrary: fc.integer({ min: 65_400, max: 65_600 }).map((length) => 'é'.repeat(length >> 1)) },
  { weight: 1, arbitrary: fc.integer({ min: 130_900, max: 131_200 }).map((length) => '🙂'.repeat(length >> 2)) },
  { weight: 1, arbitrary: fc.integer({ min: 1_113_900, max: 1_114_200 }).map((length) => 'é'.repeat(length >> 1)) },
);
const rubbish = fc.constantFrom('', ' ', '{"half":', 'null', '[1]', '{"type":"x"}', '\0\0');

describe('reading a rollout', () => {
  test('gives the same lines backwards as forwards, and counts what is no line', async () => {
    const pieces = fc.array(fc.oneof({ weight: 4, arbitrary: texts.map((text) => ({ text })) }, rubbish), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(pieces, async (pieces) => {
        const lines: Line[] = [];
        let bad = 0;
        const file = pieces.map((piece, index) => {
          if (typeof piece === 'string') {
            if (piece.trim() !== '') bad += 1;
            return `${piece}\n`;
          }
          const made = line(index, piece.text);
          lines.push(made);
          return encodeLine(made);
        });
        expect(await bothWays(Buffer.from(file.join('')))).toEqual({ lines, skipped: bad });
      }),
      { numRuns: 50 * inject('runFactor') },
    );
  });

  test('gives the lines that are whole, wherever the file is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (texts, at) => {
          const lines = texts.map((text, index) => line(index, text));
          const encoded = lines.map((one) => Buffer.from(encodeLine(one)));
          const whole = Buffer.concat(encoded);
          const cut = Math.round(at * whole.length);
          let end = 0;
          // A line counts without its newline too.
          const inside = encoded.filter((bytes) => (end += bytes.length) - 1 <= cut).length;
          expect(await bothWays(whole.subarray(0, cut))).toEqual({ lines: lines.slice(0, inside), skipped: 0 });
        },
      ),
      { numRuns: 50 * inject('runFactor') },
    );
    const [one, two] = [encodeLine(line(0, 'é')), encodeLine(line(1, '🙂'))].map((text) => Buffer.from(text));
    if (one === undefined || two === undefined) throw new Error('two lines');
    for (let cut = 0; cut <= one.length + two.length; cut += 1) {
      const { lines } = await bothWays(Buffer.concat([one, two]).subarray(0, cut));
      expect(lines.length).toBe(cut >= one.length + two.length - 1 ? 2 : cut >= one.length - 1 ? 1 : 0);
    }
  });

  test('takes lines of 50 MB', async () => {
    const long = line(1, 'x'.repeat(50_000_000));
    const { lines } = await bothWays(Buffer.from([line(0, 'a'), long, line(2, 'b')].map(encodeLine).join('')));
    expect(lines.map(({ payload }) => String(payload['text']).length)).toEqual([1, 50_000_000, 1]);
  });

  test('starts at an ordinal; lines without one follow their predecessor', async () => {
    const numbered = await fileWith(Buffer.from([line(5, 'a'), line(6, 'b'), line(9, 'c')].map(encodeLine).join('')));
    const from = async (file: Awaited<ReturnType<typeof fileWith>>, ordinal: number) =>
      (await collect(readRolloutLines(file, { from: ordinal as Ordinal }))).lines.map(({ payload }) => payload['text']);
    expect(await from(numbered, 0)).toEqual(['a', 'b', 'c']);
    expect(await from(numbered, 6)).toEqual(['b', 'c']);
    expect(await from(numbered, 7)).toEqual(['c']);
    const bare = ['a', 'b', 'c'].map((text) => encodeLine({ timestamp: 't', type: 'x', payload: { text } }));
    expect(await from(await fileWith(Buffer.from(bare.join(''))), 1)).toEqual(['b', 'c']);
  });

  test('is not led astray by the ordinals of damaged lines', async () => {
    const good = [line(5, 'a'), line(60, 'b'), line(62, 'c')].map(encodeLine);
    const damaged = [
      encodeLine(line(7, 'lost')).replace('"ordinal":7', '"ordinal":07'),
      encodeLine(line(1, 'lost')).replace('lost"', 'lost'),
    ];
    for (const bad of damaged) {
      const file = await fileWith(Buffer.from([good[0], good[1], bad, good[2]].join('')));
      const { lines, skipped } = await collect(readRolloutLines(file, { from: 60 as Ordinal }));
      expect(lines.map(({ payload }) => payload['text'])).toEqual(['b', 'c']);
      expect(skipped).toBe(1);
    }
  });

  test('gives only what is wanted, both ways, and counts ordinals on', async () => {
    const kinds = ['a', 'b', 'a', 'b'];
    const lines = kinds.map((kind, i): Line => ({ ...line(i, 'x'.repeat(i * 1000)), payload: { type: kind, i } }));
    const bare = lines.map(({ ordinal: _none, ...rest }) => rest);
    // Keys in another order: what the line is about is known only when it was parsed.
    const odd = `{"payload":{"i":4,"type":"a"},"type":"event_msg"}\n{"payload":{"i":5,"type":"b"},"type":"event_msg"}\n`;
    const wanted = ({ payloadType = 'b' }: LineKind): boolean => payloadType === 'b';
    const found = ({ lines: some }: { lines: readonly Line[] }) => some.map(({ payload }) => payload['i']);
    for (const written of [lines, bare]) {
      const file = await fileWith(Buffer.from(written.map(encodeLine).join('') + odd));
      expect(found(await collect(readRolloutLines(file, { ...start, wanted })))).toEqual([1, 3, 5]);
      expect(found(await collect(readRolloutLines(file, { from: 2 as Ordinal, wanted })))).toEqual([3, 5]);
      expect(found(await collect(readRolloutLinesBack(file, wanted)))).toEqual([5, 3, 1]);
    }
  });

  test('of an empty file gives nothing', async () => {
    expect(await bothWays(Buffer.from(''))).toEqual({ lines: [], skipped: 0 });
    expect(await bothWays(Buffer.from('\n\n'))).toEqual({ lines: [], skipped: 0 });
  });
});
