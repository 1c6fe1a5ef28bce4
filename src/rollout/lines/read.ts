import type { ByteRange, OpenFile } from '../../ports/files.ts';
import type { ReadOptions, ReadReport, Wanted } from '../../ports/rollout-store.ts';
import { stringAt } from '../../protocol/json.ts';
import type { Line, LineKind } from '../../protocol/line.ts';
import { decodeLine, decodePeeked } from './line-codec.ts';
import { peekLine, type PeekedLine, type RawLine } from './raw-line.ts';
import { splitBackward, splitForward } from './split-lines.ts';
import { rememberStoredItem, unreadOutputLine } from './stored-item.ts';

/**
 * The lines of a rollout in file order, from the ordinal on; one without an ordinal counts as the one after its
 * predecessor. Blank lines are ignored, bad ones are counted in `skipped`, unless they are not wanted and so not
 * parsed. A reader of a live thread never sees half a line.
 */
export async function* read(
  file: OpenFile,
  { from, to, wanted = everyLine }: ReadOptions,
): AsyncGenerator<Line, ReadReport> {
  const skipped = skippedLines();
  const start = from === 0 ? beginning : await startAt(file, from);
  let { place } = start;
  for await (const block of splitForward(file, { from: start.at })) {
    for (const raw of block) {
      const line = take(raw, wanted);
      if (line === 'bad') skipped.add(raw);
      if (line === 'bad' || line === undefined) continue;
      place = line.ordinal ?? place + 1;
      if (to !== undefined && place >= to) return skipped.report();
      if (place >= from && isLine(line)) yield line;
    }
  }
  return skipped.report();
}

/** Counts what could not be read. */
export function skippedLines() {
  let skipped = 0;
  let tooLong: readonly ByteRange[] = [];
  return {
    add({ isTooLong, at, length }: RawLine): void {
      skipped += 1;
      if (isTooLong) tooLong = [...tooLong, { start: at, end: at + length }];
    },
    join(report: ReadReport): void {
      skipped += report.skipped;
      tooLong = [...tooLong, ...(report.tooLong ?? [])];
    },
    report: (): ReadReport => ({ skipped, ...(tooLong.length > 0 && { tooLong }) }),
  };
}

const beginning = { at: 0, place: -1 };

/** Where to begin reading so as to miss nothing from the ordinal on, and the ordinal of the line before it. */
async function startAt(file: OpenFile, from: number): Promise<{ readonly at: number; readonly place: number }> {
  for await (const block of splitBackward(file)) {
    for (const raw of block) {
      const ordinal = ordinalOf(raw, from);
      if (ordinal !== undefined && ordinal < from)
        return { at: raw.at + raw.length + (raw.terminated ? 1 : 0), place: ordinal };
    }
  }
  return beginning;
}

/**
 * The ordinal of a line that reads, if it has one. A damaged line may claim any, so what decides is parsed; only what
 * claims to stand at the limit or behind it is believed, for readers that skip it anyway.
 */
export function ordinalOf(raw: RawLine, limit: number = Infinity): number | undefined {
  const claimed = peekLine(raw)?.ordinal;
  if (claimed !== undefined && claimed >= limit) return claimed;
  const line = decodeLine(raw.bytes);
  return line === 'blank' || line === 'bad' ? undefined : line.ordinal;
}

/** All lines of a rollout, newest first, by the rules of `read`. */
export async function* readBack(file: OpenFile, wanted: Wanted = everyLine): AsyncGenerator<Line, ReadReport> {
  const skipped = skippedLines();
  for await (const block of splitBackward(file)) {
    for (const raw of block) {
      const line = take(raw, wanted);
      if (line === 'bad') skipped.add(raw);
      else if (line !== undefined && isLine(line)) yield line;
    }
  }
  return skipped.report();
}

export const everyLine: Wanted = () => true;

type Unwanted = Pick<PeekedLine, 'ordinal'>;

/** What a reader gets of a line: nothing if it is blank or not there yet, and only its place if it is not wanted. */
export function take(raw: RawLine, wanted: Wanted, peeked = peekLine(raw)): Line | Unwanted | 'bad' | undefined {
  if (peeked !== undefined && !wanted(peeked)) return { ordinal: peeked.ordinal };
  const unread = peeked === undefined ? undefined : unreadOutputLine(raw, peeked);
  if (unread !== undefined) return unread;
  const line = peeked === undefined ? decodeLine(raw.bytes) : decodePeeked(raw);
  if (line === 'blank') return undefined;
  if (line === 'bad') return raw.terminated || raw.isTooLong ? 'bad' : undefined;
  if (!wanted(kindOf(line))) return { ordinal: line.ordinal };
  if (peeked !== undefined) rememberStoredItem(line, raw, peeked.payloadAt);
  return line;
}

export function kindOf({ type, payload }: Line): LineKind {
  return { type, payloadType: stringAt(payload, 'type') };
}

export function isLine(line: Line | Unwanted): line is Line {
  return 'payload' in line;
}
