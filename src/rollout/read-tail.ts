import type { ReadReport, TailOptions, TailSearch } from '../ports/rollout-store.ts';
import type { Ordinal } from '../protocol/ids.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { firstLine, readLineage, type Segment } from './lineage.ts';
import { peekLine, type PeekedLine } from './peek-line.ts';
import { everyLine, isLine, take } from './read.ts';
import type { RawLine } from './raw-line.ts';
import { splitBackward } from './split-lines.ts';

/** Lines that are parsed and handed on together. */
const batchLines = 256;

/** A line that the search has passed. */
interface Passed {
  /** Absent where nobody wants it: then it is known what it is. */
  readonly raw?: RawLine;
  readonly peeked?: PeekedLine;
}

/**
 * The first line of a history, and the lines from the place on that a search finds. What it passes on its way back is
 * kept as it stands and parsed on the way forward: the files are gone through once. More than `mostKept` bytes are not
 * held in memory but read again.
 */
export async function* readTail(
  segments: readonly Segment[],
  search: TailSearch,
  { mostKept = 64 * 1024 * 1024, ...options }: TailOptions & { readonly mostKept?: number },
): AsyncGenerator<readonly Line[], ReadReport> {
  const { from, files } = await searchBack(segments, search, { ...options, mostKept });
  if (from > 0 || (segments.length > 1 && files.length > 0)) {
    const head = await firstLine(segments[0]!.file);
    if (head !== undefined) yield [head];
  }
  if (files.length === 0) return yield* oneByOne(readLineage(segments, { ...options, from }));
  let skipped = 0;
  for (const passed of files.toReversed()) {
    const lines = forward(passed, from, options);
    for (;;) {
      const next = lines.next();
      if (next.done === true) {
        skipped += next.value.skipped;
        break;
      }
      yield segments.length > 1 ? next.value.filter(({ type }) => type !== lineType.sessionMeta) : next.value;
    }
  }
  return { skipped };
}

interface FoundTail {
  readonly from: Ordinal;
  /** The lines of each file, newest first. Empty when they were too much. */
  readonly files: readonly Passed[][];
}

async function searchBack(
  segments: readonly Segment[],
  search: TailSearch,
  { to, wanted: wantedLater = everyLine, mostKept }: TailOptions & { readonly mostKept: number },
): Promise<FoundTail> {
  const wanted = search.wanted.bind(search);
  let files: Passed[][] = [];
  let bytes = 0;
  for (const { file } of segments) {
    let passed: Passed[] = [];
    if (bytes <= mostKept) files.push(passed);
    for await (const block of splitBackward(file, { keep: true })) {
      for (const raw of block) {
        const peeked = peekLine(raw);
        bytes += raw.length;
        if (bytes > mostKept) {
          files = [];
          passed = [];
        } else if (peeked === undefined) passed.push({ raw });
        else passed.push(wantedLater(peeked) ? { raw, peeked } : { peeked });
        if (peeked !== undefined && !wanted(peeked)) continue;
        const line = take(raw, wanted, peeked);
        if (line === undefined || line === 'bad' || !isLine(line)) continue;
        // A thread may grow while it is read.
        const isBefore = to === undefined || line.ordinal === undefined || line.ordinal < to;
        if (isBefore && search.beginsAt(line)) return { from: line.ordinal ?? (0 as Ordinal), files };
      }
    }
  }
  return { from: 0 as Ordinal, files };
}

/** The lines of one file in its order, by the rules of `read`. Those that are handed on are let go. */
function* forward(
  passed: Passed[],
  from: Ordinal,
  { to, wanted = everyLine }: TailOptions,
): Generator<readonly Line[], ReadReport> {
  let skipped = 0;
  let place = -1;
  let lines: Line[] = [];
  for (let last = passed.pop(); last !== undefined; last = passed.pop()) {
    const line = last.raw === undefined ? last.peeked! : take(last.raw, wanted, last.peeked);
    if (line === 'bad') skipped += 1;
    if (line === 'bad' || line === undefined) continue;
    place = line.ordinal ?? place + 1;
    if (to !== undefined && place >= to) break;
    if (place >= from && isLine(line)) lines.push(line);
    if (lines.length < batchLines) continue;
    yield lines;
    lines = [];
  }
  yield lines;
  return { skipped };
}

async function* oneByOne(lines: AsyncGenerator<Line, ReadReport>): AsyncGenerator<readonly Line[], ReadReport> {
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return next.value;
    yield [next.value];
  }
}
