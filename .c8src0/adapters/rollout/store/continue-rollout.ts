import type { OpenFile } from '../../../ports/files.ts';
import type { HistoryMode, NewestLine, OpenRefused, RolloutPlace } from '../../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import { type JsonObject, numberAt, stringAt } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import { errorCode } from '../../disk/file-system.ts';
import { diskFault } from '../files/node-files.ts';
import { decodeLine, encodeLine, type HistoryBase, historyMode, withBase } from '../lines/line-format.ts';
import type { Segment } from '../lines/lineage.ts';
import { type RolloutHead, ordinalOf, readRolloutHead } from '../lines/read-lines.ts';
import { splitLinesBackward, splitLinesForward } from '../lines/split-lines.ts';
import { makeNameDurable, type DurableNameOptions } from './journal.ts';
import { type ThreadFile, neverSavedRefusal, unknownPlaceRefusal, unreadableThreadRefusal } from './refusals.ts';
import type { RolloutFiles } from './rollout-files.ts';

// Appending never runs out of ordinals: no writer lives long enough to use these up.
const ordinalsToSpare = 2 ** 32;

/**
 * Prepares a rollout for appending: afterwards it ends with a newline. A complete line without newline is kept; a
 * partial line is cut off (`torn`). A refused file is left unchanged, and one that needs no mending keeps its
 * modification time. Syncs nothing. `nextOrdinal`: absent in the old form. `newest`: the last line with an ordinal,
 * unless it is the first of the file. `lastTime`: 0 when no line at the end has a readable time. `skipped`: bad lines
 * between the last good one and the end, which stay.
 */
export async function prepareForAppend(file: OpenFile, thread: ThreadFile) {
  const head = await readRolloutHead(file);
  if (head.kind === 'empty') return neverSavedRefusal(thread);
  const checked = checkHead(head, thread.id);
  if (typeof checked === 'string') return unreadableThreadRefusal(thread, checked);
  const { mode, meta } = checked;
  const { last, lastTime, skipped, rest, restBytes } = await scanEnd(file, mode);
  const nextOrdinal = mode === 'legacy' ? undefined : ordinalAfter(last?.ordinal, meta);
  if (typeof nextOrdinal === 'string') return unreadableThreadRefusal(thread, nextOrdinal);

  let size = await file.size();
  if (rest === 'torn') {
    size -= restBytes;
    await file.truncate(size);
  } else if (rest === 'whole') {
    await file.append(Uint8Array.of(0x0a));
    size += 1;
  }
  const torn = rest === 'torn' ? { bytes: restBytes } : undefined;
  return { kind: 'tail', meta, nextOrdinal, lastTime, size, skipped, torn, newest: newestOf(last) } as const;
}

function newestOf(last: Line | undefined): NewestLine | undefined {
  if (last?.ordinal === undefined || last.type === lineType.sessionMeta) return undefined;
  return { ordinal: last.ordinal, timestamp: last.timestamp };
}

/** The ordinal of the next line, or why there is none. */
function ordinalAfter(last: number | undefined, meta: JsonObject): Ordinal | string {
  if (last === undefined) return 'its lines have no numbers, so Capstan cannot tell where to continue';
  if (last > Number.MAX_SAFE_INTEGER - ordinalsToSpare)
    return `its last line number, ${last}, is the highest possible one`;
  const incomplete = last + 1 < (numberAt(meta, 'subagent_history_start_ordinal') ?? 0);
  return incomplete ? 'the history that it copied from its parent is incomplete' : ((last + 1) as Ordinal);
}

/** Reads backwards to the last line with an ordinal; in the old form, to the last line. `rest`: an unterminated end. */
async function scanEnd(file: OpenFile, mode: HistoryMode) {
  let rest: 'none' | 'whole' | 'torn' = 'none';
  let [lastTime, skipped, restBytes] = [0, 0, 0];
  for await (const block of splitLinesBackward(file)) {
    for (const { bytes, terminated, length } of block) {
      const line = decodeLine(bytes);
      const isLine = line !== 'blank' && line !== 'bad';
      if (!terminated) [rest, restBytes] = [isLine ? 'whole' : 'torn', length];
      else if (line === 'bad') skipped += 1;
      if (!isLine) continue;
      const time = Date.parse(line.timestamp);
      if (time > lastTime) lastTime = time;
      if (mode === 'legacy' || line.ordinal !== undefined) return { last: line, lastTime, skipped, rest, restBytes };
    }
  }
  return { last: undefined, lastTime, skipped, rest, restBytes };
}

function checkHead(head: RolloutHead, id: ThreadId) {
  if (head.kind !== 'meta' || !head.isFirst) return 'its first line does not describe a thread';
  const { meta } = head;
  const owner = stringAt(meta, 'id') ?? 'one without an id';
  if (owner.toLowerCase() !== id) return `it belongs to another thread, ${owner}`;
  const mode = historyMode(meta);
  return mode === undefined ? `its history mode is unknown: ${JSON.stringify(meta['history_mode'])}` : { mode, meta };
}

export type ForkSource =
  | { readonly kind: 'base'; readonly base?: HistoryBase; metaFrom(meta: JsonObject): JsonObject }
  /** The old form has no references: its lines are copied with their times. */
  | { readonly kind: 'copy'; copyFor(meta: JsonObject, timestamp: string): readonly Uint8Array[] };

export async function forkSource(
  rollouts: RolloutFiles,
  place: RolloutPlace,
  durableFolders: Set<string>,
): Promise<ForkSource | OpenRefused> {
  const opened = await rollouts.openRollout(place.rolloutId);
  if (opened === undefined) return unknownPlaceRefusal(place.rolloutId, 'its file is missing');
  const { segments, close } = await rollouts.openHistory(opened);
  try {
    const head = await readRolloutHead(opened.file);
    const mode = head.kind === 'meta' ? historyMode(head.meta) : undefined;
    if (mode === undefined) return unknownPlaceRefusal(place.rolloutId, 'its first line does not describe a thread');
    const names = { files: rollouts.files, home: rollouts.home, durableFolders };
    return await (mode === 'legacy' ? copied(opened.file, place) : referred(segments, place, names));
  } catch (error) {
    throw diskFault(error, 'read', opened.path);
  } finally {
    await close();
  }
}

/** References the file that contains the place, and the byte offset there. */
async function referred(
  segments: readonly Segment[],
  place: RolloutPlace,
  names: DurableNameOptions,
): Promise<ForkSource | OpenRefused> {
  const { end } = place;
  let before: number = end;
  for (const segment of segments) {
    // A continuation from a file's first line, which only describes the file, continues that file's own base instead.
    const first = segment.base?.end ?? 0;
    if (before <= first + 1) {
      before = Math.min(before, first);
      continue;
    }
    const last = await lastLineBefore(segment.file, before);
    if (last === undefined || (before === end && last.ordinal + 1 < end && last.isEnd))
      return unknownPlaceRefusal(place.rolloutId, `it ends before line ${end}`);
    // Its writer may not have synced yet the data that will be built upon, or its name.
    await syncIfLet(() => segment.file.sync());
    await syncIfLet(() => makeNameDurable(names, segment.path));
    const base = { rolloutId: segment.rolloutId, end: (last.ordinal + 1) as Ordinal, endByte: last.endByte };
    const metaFrom = (meta: JsonObject): JsonObject =>
      withBase({ ...meta, forked_from_ordinal_exclusive: base.end }, base);
    return { kind: 'base', base, metaFrom };
  }
  return { kind: 'base', metaFrom: (meta) => withBase(meta, undefined) };
}

/** The last complete line with an ordinal below the given one. `isEnd`: no later line has an ordinal. */
async function lastLineBefore(file: OpenFile, end: number) {
  let isEnd = true;
  for await (const block of splitLinesBackward(file)) {
    for (const raw of block) {
      const ordinal = raw.terminated ? ordinalOf(raw, end) : undefined;
      if (ordinal === undefined) continue;
      if (ordinal < end) return { ordinal, endByte: raw.at + raw.length + 1, isEnd };
      isEnd = false;
    }
  }
  return undefined;
}

async function syncIfLet(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (error) {
    const code = errorCode(error) ?? '';
    // A read-only file or disk: no process is writing it either.
    if (!['EBADF', 'EINVAL', 'EPERM', 'EACCES', 'EROFS'].includes(code)) throw error;
  }
}

async function copied(file: OpenFile, place: RolloutPlace): Promise<ForkSource | OpenRefused> {
  const end = await byteAfterLines(file, place.end);
  if (end === undefined) return unknownPlaceRefusal(place.rolloutId, `it has fewer than ${place.end} lines`);
  const lines = Uint8Array.from(await file.read(0, end));
  return {
    kind: 'copy',
    copyFor(meta, timestamp) {
      const payload = { ...meta, history_mode: 'legacy' };
      return [Buffer.from(encodeLine({ timestamp, type: lineType.sessionMeta, payload })), lines];
    },
  };
}

/** The byte after this many lines of a file of the old form; undefined if it has fewer. */
async function byteAfterLines(file: OpenFile, count: number): Promise<number | undefined> {
  let lines = 0;
  for await (const block of splitLinesForward(file)) {
    for (const { bytes, terminated, at, length } of block) {
      const line = decodeLine(bytes);
      if (!terminated || line === 'blank' || line === 'bad') continue;
      lines += 1;
      if (lines === count) return at + length + 1;
    }
  }
  return undefined;
}
