import type { OpenFile } from '../ports/files.ts';
import type { OpenRefused, RolloutPlace } from '../ports/rollout-store.ts';
import type { Ordinal } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import { lineType } from '../protocol/line.ts';
import { errorCode } from '../disk/file-system.ts';
import { diskFault } from './disk/disk-fault.ts';
import { makeNameSafe, type SafeNames } from './disk/safe-name.ts';
import { type HistoryBase, historyMode, withBase } from './lines/history-base.ts';
import { decodeLine, encodeLine } from './lines/line-codec.ts';
import type { Segment } from './lines/lineage.ts';
import { ordinalOf } from './lines/read.ts';
import { readHead } from './lines/read-head.ts';
import { splitBackward, splitForward } from './lines/split-lines.ts';
import { unknownPlace } from './refusals.ts';
import type { RolloutFiles } from './rollout-files.ts';

/** What a thread that continues from another one begins with. */
export type ForkSource =
  | { readonly kind: 'base'; readonly base?: HistoryBase; metaFrom(meta: JsonObject): JsonObject }
  /** The old form knows no references: its lines are copied, with the times that they have. */
  | { readonly kind: 'copy'; copyFor(meta: JsonObject, timestamp: string): readonly Uint8Array[] };

export async function forkSource(
  rollouts: RolloutFiles,
  place: RolloutPlace,
  durableFolders: Set<string>,
): Promise<ForkSource | OpenRefused> {
  const opened = await rollouts.openRollout(place.rolloutId);
  if (opened === undefined) return unknownPlace(place.rolloutId, 'its file is missing');
  const { segments, close } = await rollouts.openHistory(opened);
  try {
    const head = await readHead(opened.file);
    const mode = head.kind === 'meta' ? historyMode(head.meta) : undefined;
    if (mode === undefined) return unknownPlace(place.rolloutId, 'its first line does not describe a thread');
    const names = { files: rollouts.files, home: rollouts.home, durableFolders };
    return await (mode === 'legacy' ? copied(opened.file, place) : referred(segments, place, names));
  } catch (error) {
    throw diskFault(error, 'read', opened.path);
  } finally {
    await close();
  }
}

/** Refers to the file in which the place lies, and to its byte there. */
async function referred(
  segments: readonly Segment[],
  place: RolloutPlace,
  names: SafeNames,
): Promise<ForkSource | OpenRefused> {
  const { end } = place;
  let before: number = end;
  for (const segment of segments) {
    // The first line of a file is about the file: a continuation from there continues what the file continues.
    const first = segment.base?.end ?? 0;
    if (before <= first + 1) {
      before = Math.min(before, first);
      continue;
    }
    const last = await lastLineBefore(segment.file, before);
    if (last === undefined || (before === end && last.ordinal + 1 < end && last.isEnd))
      return unknownPlace(place.rolloutId, `it ends before line ${end}`);
    // Its writer may not have synced yet what is about to be built upon, nor its name.
    await syncIfLet(() => segment.file.sync());
    await syncIfLet(() => makeNameSafe(names, segment.path));
    const base = { rolloutId: segment.rolloutId, end: (last.ordinal + 1) as Ordinal, endByte: last.endByte };
    const metaFrom = (meta: JsonObject): JsonObject =>
      withBase({ ...meta, forked_from_ordinal_exclusive: base.end }, base);
    return { kind: 'base', base, metaFrom };
  }
  return { kind: 'base', metaFrom: (meta) => withBase(meta, undefined) };
}

/** The last whole line with an ordinal below the given one. `isEnd`: no later line has an ordinal. */
async function lastLineBefore(file: OpenFile, end: number) {
  let isEnd = true;
  for await (const block of splitBackward(file)) {
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
    // A file that may only be read, or a disk: then no process is writing it either.
    if (!['EBADF', 'EINVAL', 'EPERM', 'EACCES', 'EROFS'].includes(code)) throw error;
  }
}

async function copied(file: OpenFile, place: RolloutPlace): Promise<ForkSource | OpenRefused> {
  const end = await byteAfterLines(file, place.end);
  if (end === undefined) return unknownPlace(place.rolloutId, `it has fewer than ${place.end} lines`);
  const lines = Uint8Array.from(await file.read(0, end));
  return {
    kind: 'copy',
    copyFor(meta, timestamp) {
      const payload = { ...meta, history_mode: 'legacy' };
      return [Buffer.from(encodeLine({ timestamp, type: lineType.sessionMeta, payload })), lines];
    },
  };
}

/** The byte behind so many lines of a file of the old form; undefined if it has fewer. */
async function byteAfterLines(file: OpenFile, count: number): Promise<number | undefined> {
  let lines = 0;
  for await (const block of splitForward(file)) {
    for (const { bytes, terminated, at, length } of block) {
      const line = decodeLine(bytes);
      if (!terminated || line === 'blank' || line === 'bad') continue;
      lines += 1;
      if (lines === count) return at + length + 1;
    }
  }
  return undefined;
}
