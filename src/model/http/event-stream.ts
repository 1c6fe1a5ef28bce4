const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const dataField = Buffer.from('data');
const feed = Buffer.from([lineFeed]);
const linesInBlock = 1024;

/** The data of server-sent events, whatever the borders of chunks. It works on bytes: unwanted events are never decoded. */
export function eventStreamParser() {
  let line: Buffer[] = [];
  let data: Buffer[] = [];
  /** Earlier lines of the same event, joined: a line of its own takes more memory than its bytes. */
  let blocks: Buffer[] = [];
  let atStart = true;
  let afterCarriageReturn = false;

  function takeLine(rest: Buffer, events: Buffer[]): void {
    let whole = rest;
    if (line.length > 0) {
      whole = Buffer.concat([...line, rest]);
      line = [];
    }
    if (atStart) {
      atStart = false;
      if (startsWith(whole, byteOrderMark)) whole = whole.subarray(byteOrderMark.length);
    }
    if (whole.length === 0) return takeEvent(events);
    const value = dataOf(whole);
    if (value === undefined) return;
    data.push(value);
    if (data.length === linesInBlock) {
      blocks.push(joinLines(data));
      data = [];
    }
  }

  function takeEvent(events: Buffer[]): void {
    const [first, ...others] = data.length === 0 ? blocks : [...blocks, joinLines(data)];
    if (first !== undefined) events.push(others.length === 0 ? first : joinLines([first, ...others]));
    data = [];
    blocks = [];
  }

  /** The data of every event that the chunk completes. */
  function push(chunk: Uint8Array): readonly Buffer[] {
    const events: Buffer[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.length === 0) return events;
    let start = afterCarriageReturn && bytes[0] === lineFeed ? 1 : 0;
    afterCarriageReturn = false;
    let nextFeed = bytes.indexOf(lineFeed, start);
    let nextReturn = bytes.indexOf(carriageReturn, start);
    while (nextFeed !== -1 || nextReturn !== -1) {
      const isReturn = nextReturn !== -1 && (nextFeed === -1 || nextReturn < nextFeed);
      const end = isReturn ? nextReturn : nextFeed;
      takeLine(bytes.subarray(start, end), events);
      start = end + 1;
      if (isReturn && start === bytes.length) afterCarriageReturn = true;
      if (isReturn && bytes[start] === lineFeed) start += 1;
      if (nextFeed !== -1 && nextFeed < start) nextFeed = bytes.indexOf(lineFeed, start);
      if (nextReturn !== -1 && nextReturn < start) nextReturn = bytes.indexOf(carriageReturn, start);
    }
    if (start < bytes.length) line.push(bytes.subarray(start));
    return events;
  }

  return {
    push,
    /** What was left when the stream ended: a last event without its empty line, or nothing. */
    end(): readonly Buffer[] {
      const events: Buffer[] = [];
      if (line.length > 0) takeLine(Buffer.alloc(0), events);
      takeEvent(events);
      return events;
    },
  };
}

/** The value of a `data` line; undefined for comments and for fields that carry nothing for us. */
function dataOf(line: Buffer): Buffer | undefined {
  if (!startsWith(line, dataField)) return undefined;
  if (line.length === dataField.length) return line.subarray(dataField.length);
  if (line[dataField.length] !== colon) return undefined;
  const from = dataField.length + 1;
  return line.subarray(line[from] === space ? from + 1 : from);
}

function joinLines(lines: readonly Buffer[]): Buffer {
  return lines.length === 1
    ? lines[0]!
    : Buffer.concat(lines.flatMap((line, at) => (at === 0 ? [line] : [feed, line])));
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
