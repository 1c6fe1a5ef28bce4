import type { OpenFile } from '../../ports/files.ts';
import type { ReadOptions, ReadReport, Wanted } from '../../ports/rollout-store.ts';
import type { Ordinal } from '../../protocol/ids.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { Fault } from '../../protocol/outcome.ts';
import { historyBase, type HistoryBase, historyMode } from './history-base.ts';
import { readHead } from './read-head.ts';
import { ordinalOf, read, readBack } from './read.ts';
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
    if (found === undefined) throw broken(own.path, `it continues from rollout ${base.rolloutId}, which is not there`);
    if (seen.has(found.path)) throw broken(own.path, 'the files that it continues from lead in a circle');
    const cut = upTo(found.file, base.endByte);
    const problem = await cutProblem(found, cut, base);
    if (problem !== undefined) throw broken(own.path, problem);
    next = { ...found, file: cut };
  }
}

/** All lines in order: the thread's own first line, then what was taken over, then what it added. */
export async function* readLineage(
  segments: readonly Segment[],
  options: ReadOptions,
): AsyncGenerator<Line, ReadReport> {
  const [own, ...rest] = segments;
  if (own === undefined || rest.length === 0) return yield* read(own!.file, options);
  if (options.from === 0) {
    const head = await firstLine(own.file);
    if (head !== undefined) yield head;
  }
  let skipped = 0;
  for (const { file } of segments.toReversed()) skipped += (yield* withoutFirstLine(read(file, options))).skipped;
  return { skipped };
}

/** The same, newest first. */
export async function* readLineageBack(
  segments: readonly Segment[],
  wanted: Wanted | undefined,
): AsyncGenerator<Line, ReadReport> {
  const [own, ...rest] = segments;
  if (own === undefined || rest.length === 0) return yield* readBack(own!.file, wanted);
  let skipped = 0;
  for (const { file } of segments) skipped += (yield* withoutFirstLine(readBack(file, wanted))).skipped;
  const head = await firstLine(own.file);
  if (head !== undefined) yield head;
  return { skipped };
}

/** Of a file, if it has one that reads. */
export async function firstLine(file: OpenFile): Promise<Line | undefined> {
  const head = await read(file, { from: 0 as Ordinal }).next();
  return head.done === true ? undefined : head.value;
}

async function* withoutFirstLine(lines: AsyncGenerator<Line, ReadReport>): AsyncGenerator<Line, ReadReport> {
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return next.value;
    if (next.value.type !== lineType.sessionMeta) yield next.value;
  }
}

/** The file as if it ended there. */
function upTo(file: OpenFile, end: number): OpenFile {
  return {
    ...file,
    size: async () => Math.min(end, await file.size()),
    read: (position, length, memory) => file.read(position, Math.max(0, Math.min(length, end - position)), memory),
  };
}

/** A place in a file that was edited since means other lines than it did; that must not go unnoticed. */
async function cutProblem({ path, file }: OpenRollout, cut: OpenFile, base: HistoryBase): Promise<string | undefined> {
  if ((await file.size()) < base.endByte) return `${path} is shorter than it was`;
  const head = await readHead(cut);
  if (head.kind !== 'meta') return `${path} has changed before the place`;
  if (historyMode(head.meta) !== 'paginated') return `${path} is kept in the old form`;
  for await (const block of splitBackward(cut)) {
    for (const raw of block) {
      const ordinal = ordinalOf(raw);
      if (!raw.terminated || (ordinal !== undefined && ordinal >= base.end))
        return `${path} has changed before the place`;
      if (ordinal !== undefined) return undefined;
    }
  }
  return undefined;
}

function broken(path: string, why: string): Fault {
  return new Fault({
    code: 'thread-unreadable',
    message: `The history of ${path} cannot be read: ${why}.`,
    next: 'Bring the missing file back, or start a new thread.',
  });
}
