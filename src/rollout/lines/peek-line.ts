import type { LineKind } from '../../protocol/line.ts';
import type { RawLine } from './raw-line.ts';

/** What the first bytes of a line say about it. */
export interface PeekedLine extends LineKind {
  readonly ordinal: number | undefined;
  /** Where the payload begins. */
  readonly payloadAt: number;
}

const opening =
  /^\{"timestamp":"[^"\\]*",(?:"ordinal":(0|[1-9]\d{0,14}),)?"type":"(\w+)","payload":(?=\{(?:"type":"(\w+)"[,}])?)/;

/** More than a line needs to say what it is. */
const longestOpening = 256;

/** The kind of a line that has its keys in the order in which all programs write them, without parsing it. */
export function peekLine(line: RawLine): PeekedLine | undefined {
  const found = opening.exec(line.latin1(0, longestOpening));
  if (found === null) return undefined;
  const [{ length: payloadAt }, ordinal, type = '', payloadType] = found;
  return { type, payloadType, ordinal: ordinal === undefined ? undefined : Number(ordinal), payloadAt };
}
