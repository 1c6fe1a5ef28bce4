import type { OpenFile } from '../ports/files.ts';
import type { ReadReport } from '../ports/rollout-store.ts';
import type { Ordinal } from '../protocol/ids.ts';
import type { Line } from '../protocol/line.ts';
import { decodeLine } from './line-codec.ts';
import { splitBackward, splitForward, type RawLine } from './split-lines.ts';

/**
 * The lines of a rollout in file order, from the ordinal on. A line without an ordinal, as in legacy files, counts as
 * the one after its predecessor. Blank lines are passed over, bad ones are counted in `skipped`. What stands after the
 * last newline is a line if it reads as one, and otherwise not there yet: a reader of a live thread never sees half a
 * line.
 */
export async function* read(file: OpenFile, options: { readonly from: Ordinal }): AsyncGenerator<Line, ReadReport> {
  let skipped = 0;
  let place = -1;
  for await (const block of splitForward(file)) {
    for (const raw of block) {
      const line = lineOf(raw);
      if (line === 'bad') skipped += 1;
      if (line === 'bad' || line === undefined) continue;
      place = line.ordinal ?? place + 1;
      if (place >= options.from) yield line;
    }
  }
  return { skipped };
}

/** All lines of a rollout, newest first, by the rules of `read`. */
export async function* readBack(file: OpenFile): AsyncGenerator<Line, ReadReport> {
  let skipped = 0;
  for await (const block of splitBackward(file)) {
    for (const raw of block) {
      const line = lineOf(raw);
      if (line === 'bad') skipped += 1;
      else if (line !== undefined) yield line;
    }
  }
  return { skipped };
}

function lineOf(raw: RawLine): Line | 'bad' | undefined {
  const line = decodeLine(raw.bytes);
  if (line === 'blank') return undefined;
  return line === 'bad' && !raw.terminated ? undefined : line;
}
