import type { OpenFile } from '../../ports/files.ts';
import type { ReadOptions, ReadReport, Wanted } from '../../ports/rollout-store.ts';
import type { Ordinal } from '../../protocol/ids.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { Fault } from '../../protocol/outcome.ts';
import { fileWindow } from '../disk/open-file.ts';
import { historyBase, type HistoryBase, historyMode } from './history-base.ts';
import { readHead } from './read-head.ts';
import { ordinalOf, read, readBack, skippedLines } from './read.ts';
import { splitBackward } from './split-lines.ts';

/** A rollout that is open for reading. */
export interface OpenRollout {
  readonly rolloutId: string;
  readonly path: string;
  readonly file: OpenFile;
}

/** A file of a thread's history, cut to the part that counts. */
export interface Segment extends OpenRollout {
  /** What it continues from: the segment after this one. */
  readonly base?: HistoryBase;
}

/**
 * A fork and a revert hold no copy of what they continue from: their first line points at another file and says how
 * much of it counts. Gives the thread's own file first, then what it builds upon, each cut to the part that counts.
 */
export async function openLineage(
  own: OpenRollout,
  openRollout: (rolloutId: string) => Promise<OpenRollout | undefined>,
): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  const seen = new Set<string>();
  for (let next = own; ;) {
    seen.add(next.path);
    const head = await readHead(next.file);
    const base = head.kind === 'meta' ? historyBase(head.meta) : undefined;
    segments.push(base === undefined ? next : { ...next, base });
    if (base === undefined) return segments;
    const found = await openRollout(base.rolloutId);
    if (found === undefined) throw broken(own.path, `it continues from rollout ${base.rolloutId}, which is missing`);
    if (seen.has(found.path)) throw broken(own.path, 'the files that it continues from form a loop');
    const isShorter = (await found.file.size()) < base.endByte;
    if (isShorter) throw broken(own.path, `${found.path} is shorter than it was`);
    next = { ...found, file: fileWindow(found.file, 0, base.endByte) };
    const problem = await cutProblem(next.file, base.end);
    if (problem !== undefined) throw broken(own.path, `${found.path} ${problem}`);
  }
}

/** All lines in order: the thread's own first line, then what was taken over, then what it added. */
export async function* readLineage(
  segments: readonly Segment[],
  options: ReadOptions,
): AsyncGenerator<Line, ReadReport> {
  const [own, ...rest] = segments;
  if (own === undefined || rest.length === 0) return yield* read(own!.file, options);
  if (options.from === 0) yield* firstLine(own.file);
  const skipped = skippedLines();
  for (const { file } of segments.toReversed()) skipped.join(yield* withoutFirstLine(read(file, options)));
  return skipped.report();
}

/** The same, newest first. */
export async function* readLineageBack(
  segments: readonly Segment[],
  wanted: Wanted | undefined,
): AsyncGenerator<Line, ReadReport> {
  const [own, ...rest] = segments;
  if (own === undefined || rest.length === 0) return yield* readBack(own!.file, wanted);
  const skipped = skippedLines();
  for (const { file } of segments) skipped.join(yield* withoutFirstLine(readBack(file, wanted)));
  yield* firstLine(own.file);
  return skipped.report();
}

/** Of a file, if it has one that reads. */
export async function* firstLine(file: OpenFile): AsyncGenerator<Line, void> {
  for await (const line of read(file, { from: 0 as Ordinal })) return yield line;
}

async function* withoutFirstLine(lines: AsyncGenerator<Line, ReadReport>): AsyncGenerator<Line, ReadReport> {
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return next.value;
    if (next.value.type !== lineType.sessionMeta) yield next.value;
  }
}

/** A place in a file that was edited since means other lines than it did; that must not go unnoticed. */
async function cutProblem(cut: OpenFile, end: Ordinal): Promise<string | undefined> {
  const changed = 'has changed before that place';
  const head = await readHead(cut);
  if (head.kind !== 'meta') return changed;
  if (historyMode(head.meta) !== 'paginated') return 'uses the old file format';
  for await (const block of splitBackward(cut)) {
    for (const raw of block) {
      const ordinal = ordinalOf(raw);
      if (!raw.terminated || (ordinal !== undefined && ordinal >= end)) return changed;
      if (ordinal !== undefined) return undefined;
    }
  }
  return undefined;
}

function broken(path: string, why: string): Fault {
  return new Fault({
    code: 'thread-unreadable',
    message: `The history of ${path} cannot be read: ${why}.`,
    next: 'Restore the missing file, or start a new thread.',
  });
}
