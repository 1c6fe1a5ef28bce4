import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import type { OpenFile } from '../../../ports/files.ts';
import type { ReadReport, TailSearch } from '../../../ports/thread-store.ts';
import type { Ordinal } from '../../../protocol/ids.ts';
import type { Line, LineKind } from '../../../protocol/line.ts';
import { asItem, takeItemText } from '../../../protocol/item.ts';
import { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { encodeLine } from './line-format.ts';
import { readLineage, readTail, type Segment } from './lineage.ts';

const line = (ordinal: number, type: string, text = ''): Line => ({
  timestamp: '2026-11-15T00:00:00.000Z',
  ordinal: ordinal as Ordinal,
  type,
  payload: { text },
});

const disk = new SimulatedDisk();
let files = 0;

async function segmentWith(text: string): Promise<Segment> {
  files += 1;
  const path = `/file-${files}`;
  const file = await disk.open(path, { create: true, mode: 0o600 });
  await file.append(Buffer.from(text));
  // As a real disk does it: into the memory that it is given.
  const read: OpenFile['read'] = async (position, length, memory = new Uint8Array(length)) => {
    const bytes = await file.read(position, length);
    memory.set(bytes);
    return memory.subarray(0, bytes.length);
  };
  return { rolloutId: path, path, file: { ...file, read } };
}

async function collect<Read>(reading: AsyncGenerator<Read, ReadReport>): Promise<{ read: Read[]; skipped: number }> {
  const read: Read[] = [];
  for (;;) {
    const next = await reading.next();
    if (next.done === true) return { read, skipped: next.value.skipped };
    read.push(next.value);
  }
}

/** Looks for the newest mark but so many. From the first one on that it was shown, it may look at everything. */
function searchMark(passes: number, curious: boolean): TailSearch & { readonly marks: Line[] } {
  const marks: Line[] = [];
  return {
    marks,
    wanted: ({ type }) => type === 'mark' || (curious && marks.length > 0),
    beginsAt: (found) => found.type === 'mark' && marks.push(found) > passes,
  };
}

/** An output of a tool, which may be left unread and sent as it stands. */
const output = (ordinal: number, text: string): Line => ({
  ...line(ordinal, 'response_item'),
  payload: { type: 'function_call_output', call_id: `c${ordinal}`, output: text },
});

/**
 * One file after the other, newest first, as a fork and what it continues from: kinds of lines, some long, some bad.
 */
const kind = fc.constantFrom('mark', 'output', 'output', 'event_msg', 'event_msg', 'noise', 'bad');
const history = fc.array(
  fc.array(fc.tuple(kind, fc.constantFrom(1, 10, 10, 2000, 2000, 70_000, 700_000)), { maxLength: 12 }),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const wanted = ({ type }: LineKind): boolean => type !== 'noise';
/** The texts in which items would be sent, where they were kept. */
const kept = (lines: readonly Line[]): (string | undefined)[] =>
  lines.map(({ payload }) => takeItemText(asItem(payload) ?? { type: 'none' })?.toString('utf8'));

describe('reading from the place on that a search finds', () => {
  test('gives what reading twice gives, whatever is kept in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.nat({ max: 4 }),
        fc.option(fc.nat({ max: 20 }), { nil: undefined }),
        fc.constantFrom(0, 50_000, 1e9),
        fc.boolean(),
        async (kinds, passes, to, mostKept, curious) => {
          let ordinal = 0;
          const oldestFirst = kinds.map((lines) => {
            const head = line(ordinal++, 'session_meta');
            const rest = lines.map(([type, length]) => {
              if (type === 'bad') return '{"half":\n';
              const text = 'é'.repeat(length);
              return encodeLine(type === 'output' ? output(ordinal++, text) : line(ordinal++, type, text));
            });
            return encodeLine(head) + rest.join('');
          });
          const segments = await Promise.all(oldestFirst.toReversed().map(segmentWith));
          const limit = to === undefined ? {} : { to: to as Ordinal };

          const all = (await collect(readLineage(segments, { from: 0 as Ordinal }))).read;
          const marks = all
            .filter(({ type, ordinal: at = 0 }) => type === 'mark' && at < (to ?? Infinity))
            .toReversed();
          const from = marks[passes]?.ordinal ?? (0 as Ordinal);
          const rest = await collect(readLineage(segments, { from, ...limit, wanted }));
          const expected = from === 0 || all[0] === undefined ? rest.read : [all[0], ...rest.read];

          const search = searchMark(passes, curious);
          const found = await collect(readTail(segments, search, { ...limit, wanted, mostKept }));
          expect(kept(found.read.flat())).toEqual(kept(expected));
          expect(found.read.flat()).toEqual(expected);
          expect(search.marks).toEqual(marks.slice(0, passes + 1));
          expect(from > 0 || found.skipped === rest.skipped).toBe(true);
        },
      ),
      { numRuns: 30 * inject('runFactor') },
    );
  });

  test('shows a long output to the search and hands on the same', async () => {
    const output = 'a "quoted" line, naïve\n'.repeat(200);
    const lines = [0, 1, 2].map((ordinal) => ({
      ...line(ordinal, 'response_item'),
      payload: { type: 'function_call_output', call_id: `c${ordinal}`, output },
    }));
    const segments = [await segmentWith(lines.map(encodeLine).join(''))];
    const shown: Line[] = [];
    const search: TailSearch = { wanted: () => true, beginsAt: (found) => shown.push(found) > lines.length };
    const { read, skipped } = await collect(readTail(segments, search, {}));
    expect({ read: read.flat(), shown, skipped }).toEqual({ read: lines, shown: lines.toReversed(), skipped: 0 });
  });
});
