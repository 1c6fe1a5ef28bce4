import { isUtf8 } from 'node:buffer';
import { asItem } from '../../protocol/item.ts';
import { rememberItemText } from '../../protocol/item-text.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { leaveUnread } from '../../protocol/unread-output.ts';
import { decodeText, isPlain } from './line-codec.ts';
import type { PeekedLine } from './peek-line.ts';
import type { RawLine } from './raw-line.ts';
import { stringEnd } from './string-end.ts';

/** A shorter line is parsed as fast. */
const worthLeaving = 2048;
const key = '"output":"';
/** What stands before and after the output is short. */
const longestRest = 2048;
/** Stands for the output. If it is in the line too, the line is parsed. */
const hole = { json: '\\uffff', value: '\uffff' };

/**
 * A line with a long output of a tool: all but the output is parsed. Most of a long thread is such outputs, and they are
 * sent to the model as they stand. Undefined if the line is another one, if it is not what `JSON.stringify` would make
 * of it, or if it is no line at all: then it must be parsed to know.
 */
export function unreadOutputLine(raw: RawLine, { type, payloadType, payloadAt }: PeekedLine): Line | undefined {
  if (raw.length < worthLeaving || type !== lineType.responseItem || !payloadType?.endsWith('_output')) return;
  const beginning = raw.latin1(0, payloadAt + longestRest);
  const start = beginning.indexOf(key, payloadAt) + key.length;
  if (start < payloadAt + key.length) return;
  const endInBlock = stringEnd(raw.block, raw.start + start, raw.end);
  if (raw.end - endInBlock > longestRest) return;
  const end = endInBlock - raw.start;
  const [head, tail] = [beginning.slice(0, start), raw.latin1(end)];
  if (!isPlain.test(head) || !isPlain.test(tail)) return;
  const line = decodeText(head + hole.json + tail);
  const item = line === 'bad' ? undefined : asItem(line.payload);
  if (line === 'bad' || item?.['output'] !== hole.value) return;
  const [before, after, ...more] = JSON.stringify(item).split(hole.value);
  const rest = line.metadata === undefined ? '}' : `,"metadata":${JSON.stringify(line.metadata)}}`;
  if (more.length > 0 || head.slice(payloadAt) !== before || tail !== after + rest) return;
  const stored = raw.block.subarray(raw.start + payloadAt, raw.end - rest.length);
  if (!isUtf8(stored)) return;
  const text = raw.kept ? stored : Buffer.from(stored);
  rememberItemText(item, text);
  leaveUnread(item, { text, start: start - payloadAt - 1, end: end - payloadAt + 1 });
  return line;
}
