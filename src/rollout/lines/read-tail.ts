import type { ReadReport, TailOptions, TailSearch, Wanted } from '../../ports/rollout-store.ts';
import type { Ordinal } from '../../protocol/ids.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { firstLine, readLineage, type Segment } from './lineage.ts';
import { everyLine, isLine, kindOf, skippedLines, take } from './read.ts';
import { peekLine, type PeekedLine, type RawLine } from './raw-line.ts';
import { splitBackward } from './split-lines.ts';

/** Lines that are parsed and handed on together. */
const batchLines = 256;

/** About what a line takes in memory besides its bytes. */
const lineCost = 256;

/** A line that the search has passed. */
interface Passed {
  /** Present where the search was shown it: nothing is taken twice. */
  readonly line?: Line;
  /** Absent where it was taken, and where the caller does not want it: then it is known what it is. */
  readonly raw?: RawLine;
  readonly peeked?: PeekedLine | undefined;
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
  if (from > 0 || (segments.length > 1 && files.length > 0))
    for await (const head of firstLine(segments[0]!.file)) yield [head];
  if (files.length === 0) return yield* oneByOne(readLineage(segments, { ...options, from }));
  const skipped = skippedLines();
  for (const passed of files.toReversed()) {
    const lines = forward(passed, from, options);
    for (;;) {
      const next = lines.next();
      if (next.done === true) {
        skipped.join(next.value);
        break;
      }
      yield segments.length > 1 ? next.value.filter(({ type }) => type !== lineType.sessionMeta) : next.value;
    }
  }
  return skipped.report();
}

/** Where reading begins, and the lines of each file from there on, newest first; none when they were too much. */
async function searchBack(
  segments: readonly Segment[],
  search: TailSearch,
  { to, wanted: wantedLater = everyLine, mostKept }: TailOptions & { readonly mostKept: number },
) {
  const wanted = search.wanted.bind(search);
  let files: Passed[][] = [];
  let bytes = 0;
  for (const { file } of segments) {
    let passed: Passed[] = [];
    if (bytes <= mostKept) files.push(passed);
    for await (const block of splitBackward(file, { keep: true })) {
      for (const raw of block) {
        const peeked = peekLine(raw);
        const taken = peeked === undefined || wanted(peeked) ? take(raw, wanted, peeked) : undefined;
        const line = typeof taken === 'object' && isLine(taken) ? taken : undefined;
        bytes += raw.isTooLong ? lineCost : raw.length + lineCost;
        if (bytes > mostKept) {
          files = [];
          passed = [];
        } else if (peeked !== undefined && !wantedLater(peeked)) passed.push({ peeked });
        else passed.push(line === undefined ? { raw, peeked } : { line });
        if (line === undefined) continue;
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
  const skipped = skippedLines();
  let place = -1;
  let lines: Line[] = [];
  for (let last = passed.pop(); last !== undefined; last = passed.pop()) {
    const line = takePassed(last, wanted);
    if (line === 'bad' && last.raw !== undefined) skipped.add(last.raw);
    if (line === 'bad' || line === undefined) continue;
    place = line.ordinal ?? place + 1;
    if (to !== undefined && place >= to) break;
    if (place >= from && isLine(line)) lines.push(line);
    if (lines.length < batchLines) continue;
    yield lines;
    lines = [];
  }
  yield lines;
  return skipped.report();
}

function takePassed({ line, raw, peeked }: Passed, wanted: Wanted): ReturnType<typeof take> {
  if (line !== undefined) return wanted(kindOf(line)) ? line : { ordinal: line.ordinal };
  return raw === undefined ? peeked : take(raw, wanted, peeked);
}

async function* oneByOne(lines: AsyncGenerator<Line, ReadReport>): AsyncGenerator<readonly Line[], ReadReport> {
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return next.value;
    yield [next.value];
  }
}
