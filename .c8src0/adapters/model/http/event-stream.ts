import { BoundedBuffer } from '../../../base/bounded-buffer.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const dataField = Buffer.from('data');
const feed = Buffer.from([lineFeed]);
const noBytes = Buffer.alloc(0);
/** Byte order mark, field name, colon and blank: enough to classify a line. */
const longestOpening = byteOrderMark.length + dataField.length + 2;

/** Extracts the data of server-sent events, as bytes. Between chunks it holds only the data of one event. */
export function eventStreamParser({ mostEventBytes }: { readonly mostEventBytes: number }) {
  const held = new BoundedBuffer(mostEventBytes);
  /** The only data line so far; a view into the chunk. */
  let single: Buffer | undefined;
  let hasData = false;
  let line: 'unknown' | 'data' | 'other' = 'unknown';
  let opening = noBytes;
  let atStart = true;
  let afterCarriageReturn = false;
  let isTooLarge = false;

  function hold(bytes: Buffer): void {
    isTooLarge ||= !held.add(bytes);
  }

  function beginLine(): void {
    if (single !== undefined) hold(single);
    single = undefined;
    if (hasData) hold(feed);
  }

  function takeLine(given: Buffer, events: Buffer[]): void {
    const whole = withoutMark(given);
    if (whole.length === 0) return takeEvent(events);
    const value = dataOf(whole);
    if (value === undefined) return;
    if (hasData) {
      beginLine();
      hold(value);
    } else if (value.length > mostEventBytes) isTooLarge = true;
    else single = value;
    hasData = true;
  }

  function takeEvent(events: Buffer[]): void {
    if (hasData && !isTooLarge) events.push(single ?? held.take());
    single = undefined;
    hasData = false;
  }

  function endLine(piece: Buffer, events: Buffer[]): void {
    if (line === 'unknown') {
      const whole = opening.length === 0 ? piece : Buffer.concat([opening, piece]);
      opening = noBytes;
      return takeLine(whole, events);
    }
    if (line === 'data') {
      hold(piece);
      hasData = true;
    }
    line = 'unknown';
  }

  function keep(piece: Buffer): void {
    if (line === 'data') hold(piece);
    if (line !== 'unknown') return;
    const begun = opening.length === 0 ? piece : Buffer.concat([opening, piece]);
    if (begun.length < longestOpening) {
      opening = Buffer.from(begun);
      return;
    }
    opening = noBytes;
    const value = dataOf(withoutMark(begun));
    line = value === undefined ? 'other' : 'data';
    if (value === undefined) return;
    beginLine();
    hold(value);
  }

  function withoutMark(bytes: Buffer): Buffer {
    const isMarked = atStart && startsWith(bytes, byteOrderMark);
    atStart = false;
    return isMarked ? bytes.subarray(byteOrderMark.length) : bytes;
  }

  function push(chunk: Uint8Array): readonly Buffer[] {
    const events: Buffer[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.length === 0 || isTooLarge) return events;
    let start = afterCarriageReturn && bytes[0] === lineFeed ? 1 : 0;
    afterCarriageReturn = false;
    let nextFeed = bytes.indexOf(lineFeed, start);
    let nextReturn = bytes.indexOf(carriageReturn, start);
    while (nextFeed !== -1 || nextReturn !== -1) {
      const isReturn = nextReturn !== -1 && (nextFeed === -1 || nextReturn < nextFeed);
      const end = isReturn ? nextReturn : nextFeed;
      endLine(bytes.subarray(start, end), events);
      if (isTooLarge) return events;
      start = end + 1;
      if (isReturn && start === bytes.length) afterCarriageReturn = true;
      if (isReturn && bytes[start] === lineFeed) start += 1;
      if (nextFeed !== -1 && nextFeed < start) nextFeed = bytes.indexOf(lineFeed, start);
      if (nextReturn !== -1 && nextReturn < start) nextReturn = bytes.indexOf(carriageReturn, start);
    }
    // Copies the line: a view would keep the whole chunk alive.
    if (single !== undefined) hold(single);
    single = undefined;
    if (start < bytes.length) keep(bytes.subarray(start));
    return events;
  }

  return {
    push,
    /** The rest at the end of the stream: a last event without its empty line, or nothing. */
    end(): readonly Buffer[] {
      const events: Buffer[] = [];
      if (line !== 'unknown' || opening.length > 0) endLine(noBytes, events);
      takeEvent(events);
      return events;
    },
    /** An event exceeds the limit. Nothing more is read. */
    get isTooLarge(): boolean {
      return isTooLarge;
    },
  };
}

/** The value of a `data` line; undefined for comments and other fields. */
function dataOf(line: Buffer): Buffer | undefined {
  if (!startsWith(line, dataField)) return undefined;
  if (line.length === dataField.length) return line.subarray(dataField.length);
  if (line[dataField.length] !== colon) return undefined;
  const from = dataField.length + 1;
  return line.subarray(line[from] === space ? from + 1 : from);
}

const startsWith = (bytes: Buffer, prefix: Buffer): boolean =>
  bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
