import { isUtf8 } from 'node:buffer';
import { asItem } from '../protocol/item.ts';
import { rememberItemText } from '../protocol/item-text.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { leaveUnread } from '../protocol/unread-output.ts';
import { decodeLine } from './line-codec.ts';
import type { PeekedLine } from './peek-line.ts';

/** A shorter line is parsed as fast. */
const worthLeaving = 2048;
const key = '"output":"';
/** What stands before and after the output is short. */
const longestRest = 2048;
const comma = 0x2c;
/** Stands for the output. If it is in the line too, the line is parsed. */
const hole = { json: '\\uffff', value: '\uffff' };

/**
 * A line with a long output of a tool: all but the output is parsed. Most of a long thread is such outputs, and they are
 * sent to the model as they stand. Undefined if the line is another one, if it is not what `JSON.stringify` would make
 * of it, or if it is no line at all: then it must be parsed to know.
 */
export function unreadOutputLine(bytes: Buffer, { type, payloadType, payloadAt }: PeekedLine): Line | undefined {
  if (bytes.length < worthLeaving || type !== lineType.responseItem || !payloadType?.endsWith('_output')) return;
  const start = bytes.subarray(0, payloadAt + longestRest).indexOf(key, payloadAt) + key.length;
  if (start < payloadAt + key.length) return;
  const length = stringLength(bytes.toString('latin1', start));
  const end = start + length;
  if (bytes.length - end > longestRest || !isUtf8(bytes.subarray(start, end))) return;
  const [head, tail] = [bytes.toString('latin1', 0, start), bytes.toString('latin1', end)];
  if (!isPlain.test(head) || !isPlain.test(tail)) return;
  const line = decodeLine(Buffer.from(head + hole.json + tail, 'latin1'));
  const item = typeof line === 'string' ? undefined : asItem(line.payload);
  if (typeof line === 'string' || item?.['output'] !== hole.value) return;
  const [before, after, ...more] = JSON.stringify(item).split(hole.value);
  const rest = line.metadata === undefined ? '}' : `,"metadata":${JSON.stringify(line.metadata)}}`;
  if (more.length > 0 || head.slice(payloadAt) !== before || tail !== after + rest) return;
  // A copy, so that the block of the file is not kept with it. The colon before the payload becomes its comma.
  const text = Buffer.from(bytes.subarray(payloadAt - 1, bytes.length - rest.length));
  text[0] = comma;
  rememberItemText(item, text);
  const from = start - payloadAt;
  leaveUnread(item, text.subarray(from, from + length + 2));
  return line;
}

const isPlain = /^[\0-\x7f]*$/;

/** What a JSON string may hold, in the one way in which it is written; so much at once as can be gone back over. */
const written = /(?:[^"\\\x00-\x1f]+|\\["\\bfnrt]){1,512}/y;

/** Of the string whose content the text begins with. */
function stringLength(text: string): number {
  let length = 0;
  written.lastIndex = 0;
  while (written.test(text)) length = written.lastIndex;
  return length;
}
