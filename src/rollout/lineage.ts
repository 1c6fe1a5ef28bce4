import type { OpenFile } from '../ports/files.ts';
import type { ReadOptions, ReadReport, Wanted } from '../ports/rollout-store.ts';
import type { Ordinal } from '../protocol/ids.ts';
import { numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { Fault } from '../protocol/outcome.ts';
import { readHead } from './read-head.ts';
import { read, readBack } from './read.ts';

/** A file of a thread's history. */
export interface Segment {
  readonly path: string;
  readonly file: OpenFile;
}

/**
 * A fork and a revert hold no copy of what they go on from: their first line points at another file and says how much
 * of it counts. Gives the thread's own file first, then what it builds upon, each cut to the part that counts.
 */
export async function openLineage(
  own: Segment,
  openRollout: (rolloutId: string) => Promise<Segment | undefined>,
): Promise<readonly Segment[]> {
  const segments = [own];
  const seen = new Set([own.path]);
  for (let last = own.file; ;) {
    const head = await readHead(last);
    const base = head.kind === 'meta' ? objectAt(head.meta, 'history_base') : undefined;
    if (base === undefined) return segments;
    const [rolloutId, end] = [stringAt(base, 'thread_id') ?? '', numberAt(base, 'end_byte_offset') ?? 0];
    const found = await openRollout(rolloutId);
    if (found === undefined) throw broken(own.path, `it goes on from rollout ${rolloutId}, which is not there`);
    if (seen.has(found.path)) throw broken(own.path, 'the files that it goes on from lead in a circle');
    if ((await found.file.size()) < end) throw broken(own.path, `${found.path} is shorter than it was`);
    seen.add(found.path);
    segments.push({ path: found.path, file: upTo(found.file, end) });
    last = found.file;
  }
}

/** All lines in order: the thread's own first line, then what was taken over, then what it added. */
export async function* readLineage(
  segments: readonly Segment[],
  options: ReadOptions,
): AsyncGenerator<Line, ReadReport> {
  const [own, ...rest] = segments;
  if (own === undefined || rest.length === 0) return yield* read(own!.file, options);
  const head = await read(own.file, { from: 0 as Ordinal }).next();
  if (options.from === 0 && head.done !== true) yield head.value;
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
  const head = await read(own.file, { from: 0 as Ordinal }).next();
  if (head.done !== true) yield head.value;
  return { skipped };
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

function broken(path: string, why: string): Fault {
  return new Fault({
    code: 'thread-unreadable',
    message: `The history of ${path} cannot be read: ${why}.`,
    next: 'Bring the missing file back, or start a new thread.',
  });
}
