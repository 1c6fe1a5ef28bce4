import type { OpenFile } from '../../ports/files.ts';
import type { RolloutPlace } from '../../ports/rollout-store.ts';
import type { Ordinal } from '../../protocol/ids.ts';
import type { HistoryBase } from './history-base.ts';
import { decodeLine } from './line-codec.ts';
import type { Segment } from './lineage.ts';
import { ordinalOf } from './read.ts';
import { splitBackward, splitForward } from './split-lines.ts';

/** `start`: nothing stands before the place. */
export type FoundPlace =
  | { readonly kind: 'base'; readonly base: HistoryBase; readonly segment: Segment }
  | { readonly kind: 'start' }
  | { readonly kind: 'beyond' };

/** The file in which a place of a thread's history lies, and its byte there. */
export async function findPlace(segments: readonly Segment[], { end }: RolloutPlace): Promise<FoundPlace> {
  let before: number = end;
  for (const segment of segments) {
    // The first line of a file is about the file: a continuation from there continues what the file continues.
    const first = segment.base?.end ?? 0;
    if (before <= first + 1) {
      before = Math.min(before, first);
      continue;
    }
    const last = await lastLineBefore(segment.file, before);
    if (last === undefined || (before === end && last.ordinal + 1 < end && last.isEnd)) return { kind: 'beyond' };
    const base = { rolloutId: segment.rolloutId, end: (last.ordinal + 1) as Ordinal, endByte: last.endByte };
    return { kind: 'base', base, segment };
  }
  return { kind: 'start' };
}

interface LastLine {
  readonly ordinal: number;
  readonly endByte: number;
  /** No later line has an ordinal. */
  readonly isEnd: boolean;
}

/** The last whole line with an ordinal below the given one. */
async function lastLineBefore(file: OpenFile, end: number): Promise<LastLine | undefined> {
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

/** The byte behind so many lines of a file of the old form; undefined if it has fewer. */
export async function byteAfterLines(file: OpenFile, count: number): Promise<number | undefined> {
  let lines = 0;
  for await (const block of splitForward(file)) {
    for (const { bytes, terminated, at } of block) {
      const line = decodeLine(bytes);
      if (!terminated || line === 'blank' || line === 'bad') continue;
      lines += 1;
      if (lines === count) return at + bytes.length + 1;
    }
  }
  return undefined;
}
