import type { OpenFile } from '../../../ports/files.ts';
import type { ReadOptions, ReadReport, TailOptions, TailSearch, Wanted } from '../../../ports/thread-store.ts';
import type { Ordinal } from '../../../protocol/ids.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { viewOfFileRange } from '../files/whole-files.ts';
import { historyBase, type HistoryBase, historyMode } from './line-format.ts';
import {
  everyLine,
  isLine,
  lineKindOf,
  ordinalOf,
  readRolloutHead,
  readRolloutLines,
  readRolloutLinesBack,
  createSkipCounter,
  decodeWantedLine,
} from './read-lines.ts';
import { type PeekedLine, peekLine, type RawLine, splitLinesBackward } from './split-lines.ts';

export type OpenRollout = { readonly rolloutId: string; readonly path: string; readonly file: OpenFile };

/** A file of a thread's history, cut to the part that counts. */
export interface Segment extends OpenRollout {
  /** The base of this segment: the next segment of the list. */
  readonly base?: HistoryBase;
}

/** Opens the files of a history: the own file, then each file that the one before continues, cut to the used part. */
export async function openLineage(
  own: OpenRollout,
  openRollout: (rolloutId: string) => Promise<OpenRollout | undefined>,
): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  const seen = new Set<string>();
  for (let next = own; ;) {
    seen.add(next.path);
    const head = await readRolloutHead(next.file);
    const base = head.kind === 'meta' ? historyBase(head.meta) : undefined;
    segments.push(base === undefined ? next : { ...next, base });
    if (base === undefined) return segments;
    const found = await openRollout(base.rolloutId);
    if (found === undefined) throw broken(own.path, `it continues from rollout ${base.rolloutId}, which is missing`);
    if (seen.has(found.path)) throw broken(own.path, 'the files that it continues from form a loop');
    const isShorter = (await found.file.size()) < base.endByte;
    if (isShorter) throw broken(own.path, `${found.path} is shorter than it was`);
    next = { ...found, file: viewOfFileRange(found.file, 0, base.endByte) };
    const problem = await cutProblem(next.file, base.end);
    if (problem !== undefined) throw broken(own.path, `${found.path} ${problem}`);
  }
}

/** All lines in order: the thread's own first line, then those of its bases, then its own further lines. */
export async function* readLineage(segments: readonly Segment[], options: ReadOptions) {
  const [own, ...rest] = segments;
  if (own === undefined || rest.length === 0) return yield* readRolloutLines(own!.file, options);
  if (options.from === 0) yield* firstLine(own.file);
  const skipped = createSkipCounter();
  for (const { file } of segments.toReversed()) skipped.join(yield* withoutFirstLine(readRolloutLines(file, options)));
  return skipped.report();
}

export async function* readLineageBack(segments: readonly Segment[], wanted: Wanted | undefined) {
  const [own, ...rest] = segments;
  if (own === undefined || rest.length === 0) return yield* readRolloutLinesBack(own!.file, wanted);
  const skipped = createSkipCounter();
  for (const { file } of segments) skipped.join(yield* withoutFirstLine(readRolloutLinesBack(file, wanted)));
  yield* firstLine(own.file);
  return skipped.report();
}

async function* firstLine(file: OpenFile): AsyncGenerator<Line, void> {
  for await (const line of readRolloutLines(file, { from: 0 as Ordinal })) return yield line;
}

const withoutFirstLine = (lines: AsyncGenerator<Line, ReadReport>): AsyncGenerator<Line, ReadReport> =>
  changed(lines, (line) => (line.type === lineType.sessionMeta ? undefined : line));

async function* changed<Read, Given>(
  lines: AsyncGenerator<Read, ReadReport>,
  change: (read: Read) => Given | undefined,
): AsyncGenerator<Given, ReadReport> {
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return next.value;
    const given = change(next.value);
    if (given !== undefined) yield given;
  }
}

/** An offset in a file that was edited since refers to other lines; that must be detected. */
async function cutProblem(cut: OpenFile, end: Ordinal): Promise<string | undefined> {
  const changed = 'has changed before that place';
  const head = await readRolloutHead(cut);
  if (head.kind !== 'meta') return changed;
  if (historyMode(head.meta) !== 'paginated') return 'uses the old file format';
  for await (const block of splitLinesBackward(cut)) {
    for (const raw of block) {
      const ordinal = ordinalOf(raw);
      if (!raw.terminated || (ordinal !== undefined && ordinal >= end)) return changed;
      if (ordinal !== undefined) return undefined;
    }
  }
  return undefined;
}

const broken = (path: string, why: string): Fault =>
  new Fault({
    code: 'thread-unreadable',
    message: `The history of ${path} cannot be read: ${why}.`,
    next: 'Restore the missing file, or start a new thread.',
  });

const batchLines = 256;
const lineCost = 256;

interface Passed {
  /** Present if the search received it parsed; it is then not parsed again. */
  readonly line?: Line;
  /** Absent if the line was parsed or is unwanted. */
  readonly raw?: RawLine;
  readonly peeked?: PeekedLine;
}

/**
 * The first line of a history, and the lines from the place that a search finds. Lines passed on the way back are kept
 * unparsed for the way forward, so files are read once. More than `mostKept` bytes are not held in memory but read
 * again.
 */
export async function* readTail(
  segments: readonly Segment[],
  search: TailSearch,
  { mostKept = 64 * 1024 * 1024, ...options }: TailOptions & { readonly mostKept?: number },
): AsyncGenerator<readonly Line[], ReadReport> {
  const { from, files } = await searchBack(segments, search, { ...options, mostKept });
  if (from > 0 || (segments.length > 1 && files.length > 0))
    for await (const head of firstLine(segments[0]!.file)) yield [head];
  if (files.length === 0) return yield* changed(readLineage(segments, { ...options, from }), (line) => [line]);
  const skipped = createSkipCounter();
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

/** The place where reading begins, and each file's lines from there, newest first; no lines when they were too many. */
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
    for await (const block of splitLinesBackward(file, { keep: true })) {
      for (const raw of block) {
        const peeked = peekLine(raw);
        const taken = peeked === undefined || wanted(peeked) ? decodeWantedLine(raw, wanted, peeked) : undefined;
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

/** Lines of one file in file order, by the rules of `read`. Releases lines that were handed on. */
function* forward(passed: Passed[], from: Ordinal, { to, wanted = everyLine }: TailOptions) {
  const skipped = createSkipCounter();
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

function takePassed({ line, raw, peeked }: Passed, wanted: Wanted): ReturnType<typeof decodeWantedLine> {
  if (line !== undefined) return wanted(lineKindOf(line)) ? line : { ordinal: line.ordinal };
  return raw === undefined ? peeked : decodeWantedLine(raw, wanted, peeked);
}
