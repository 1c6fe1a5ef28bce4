import { readFileSync } from 'node:fs';
import { decodeLine } from '../../src/adapters/rollout/lines/line-format.ts';
import type { Line } from '../../src/protocol/line.ts';

export interface PlacedLine {
  readonly line: Line;
  /** The offset of the next line. */
  readonly end: number;
}

/** The whole lines of a rollout, as they stand on the disk. What is no line is skipped. */
export function linesIn(path: string): readonly PlacedLine[] {
  const bytes = readFileSync(path);
  const placed: PlacedLine[] = [];
  for (let start = 0, at = bytes.indexOf(0x0a); at !== -1; start = at + 1, at = bytes.indexOf(0x0a, start)) {
    const line = decodeLine(bytes.subarray(start, at));
    if (line !== 'bad' && line !== 'blank') placed.push({ line, end: at + 1 });
  }
  return placed;
}
