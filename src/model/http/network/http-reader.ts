import {
  type HttpHead,
  type Framing,
  framingOf,
  isStatusLine,
  NotHttp,
  readHttpHead,
  staysOpen,
  switchingProtocols,
} from './http-head.ts';

/** What the bytes of a server say, in order. */
export type HttpPart =
  /** A head before the head, which answers nothing. */
  | { readonly kind: 'hint' }
  | { readonly kind: 'head'; readonly head: HttpHead }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** `isReusable`: the connection can take another request. */
  | { readonly kind: 'end'; readonly isReusable: boolean };

const mostHeadBytes = 64 * 1024;
/** A size, and what some servers write behind it. */
const mostChunkLine = 1024;
/** Behind all sizes of one answer together. They say nothing, and no limit of an answer counts them. */
const mostExtensionBytes = 16 * 1024;
/** Some servers end an answer with an empty line too many, and the next one begins with it. */
const mostEmptyLines = 2;
const [lineFeed, carriageReturn] = [10, 13];

/**
 * Reads one answer of HTTP/1.1 (RFC 9112), in whatever pieces it comes. Strict where a lenient reader and another
 * program could disagree about where it ends. Pieces of the body are not copied.
 */
export class HttpReader {
  /** Behind a head that opens it comes what another protocol says, whatever the head says of a length. */
  readonly #isTunnel: boolean;
  /** Bytes of a head or of a line that is not whole yet. */
  #kept: Buffer = Buffer.alloc(0);
  #state: 'head' | 'length' | 'closed' | 'size' | 'chunk' | 'chunk-end' | 'trailers' | 'over' = 'head';
  /** Of the body or of the chunk. */
  #left = 0;
  #isReusable = false;
  #trailerBytes = 0;
  #emptyLines = 0;
  #extensionBytes = 0;

  constructor({ isTunnel = false }: { readonly isTunnel?: boolean } = {}) {
    this.#isTunnel = isTunnel;
  }

  /** Throws `NotHttp`. */
  push(bytes: Buffer): readonly HttpPart[] {
    const parts: HttpPart[] = [];
    let rest = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    this.#kept = rest.subarray(0, 0);
    while (rest.length > 0 && this.#state !== 'over') {
      const next = this.#step(rest, parts);
      if (next === rest) {
        // A view would keep all of what came alive.
        this.#kept = Buffer.from(rest);
        return parts;
      }
      rest = next;
    }
    // What comes behind an answer belongs to no request.
    if (rest.length > 0 && parts.at(-1)?.kind === 'end') parts[parts.length - 1] = { kind: 'end', isReusable: false };
    return parts;
  }

  /** The connection has ended. Undefined: before the answer had. */
  ended(): HttpPart | undefined {
    if (this.#state !== 'closed') return undefined;
    this.#state = 'over';
    return { kind: 'end', isReusable: false };
  }

  /** Reads one thing, and returns what stands behind it; all of it, when it is not whole. */
  #step(rest: Buffer, parts: HttpPart[]): Buffer {
    switch (this.#state) {
      case 'head':
        return this.#head(rest, parts);
      case 'closed':
        parts.push({ kind: 'bytes', bytes: rest });
        return rest.subarray(rest.length);
      case 'length':
      case 'chunk':
        return this.#body(rest, parts);
      case 'size':
        return this.#size(rest);
      case 'chunk-end':
        return this.#line(rest, 2, (line) => {
          if (line !== '') throw new NotHttp('HPE_STRICT');
          this.#state = 'size';
        });
      case 'trailers':
        return this.#line(rest, mostHeadBytes, (line) => {
          this.#trailerBytes += line.length + 2;
          if (this.#trailerBytes > mostHeadBytes) throw new NotHttp('HPE_HEADER_OVERFLOW');
          if (line === '') this.#over(parts);
        });
      case 'over':
        return rest;
    }
  }

  #head(rest: Buffer, parts: HttpPart[]): Buffer {
    if (rest[0] === carriageReturn) return this.#emptyLine(rest);
    // What is no HTTP is known by its first bytes, however long it goes on.
    if (!'HTTP/1.'.startsWith(rest.toString('latin1', 0, Math.min(7, rest.length)))) {
      throw new NotHttp('HPE_INVALID_CONSTANT');
    }
    const end = rest.indexOf('\r\n\r\n');
    checkLines(end === -1 ? rest : rest.subarray(0, end));
    if ((end === -1 ? rest.length : end) > mostHeadBytes) throw new NotHttp('HPE_HEADER_OVERFLOW');
    if (end === -1) return rest;
    const head = readHttpHead(rest.toString('latin1', 0, end));
    const behind = rest.subarray(end + 4);
    if (head.status === switchingProtocols || (this.#isTunnel && head.status >= 200 && head.status < 300)) {
      parts.push({ kind: 'head', head }, { kind: 'bytes', bytes: behind });
      this.#state = 'closed';
      return behind.subarray(behind.length);
    }
    if (head.status < 200) {
      parts.push({ kind: 'hint' });
      return behind;
    }
    parts.push({ kind: 'head', head });
    const framing = framingOf(head);
    this.#isReusable = staysOpen(head, framing);
    this.#begin(framing, parts);
    return behind;
  }

  #emptyLine(rest: Buffer): Buffer {
    if (this.#emptyLines === mostEmptyLines) throw new NotHttp('HPE_INVALID_CONSTANT');
    if (rest.length === 1) return rest;
    if (rest[1] !== lineFeed) throw new NotHttp('HPE_INVALID_CONSTANT');
    this.#emptyLines += 1;
    return rest.subarray(2);
  }

  #begin(framing: Framing, parts: HttpPart[]): void {
    if (framing.kind === 'chunked') this.#state = 'size';
    else this.#state = framing.kind;
    if (framing.kind !== 'length') return;
    this.#left = framing.bytes;
    if (this.#left === 0) this.#over(parts);
  }

  #body(rest: Buffer, parts: HttpPart[]): Buffer {
    const count = Math.min(this.#left, rest.length);
    parts.push({ kind: 'bytes', bytes: rest.subarray(0, count) });
    this.#left -= count;
    if (this.#left === 0 && this.#state === 'chunk') this.#state = 'chunk-end';
    else if (this.#left === 0) this.#over(parts);
    return rest.subarray(count);
  }

  #size(rest: Buffer): Buffer {
    return this.#line(rest, mostChunkLine, (line) => {
      const [, digits] = /^0*([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
      if (digits === undefined) throw new NotHttp('HPE_INVALID_CHUNK_SIZE');
      const extension = line.indexOf(';');
      if (extension !== -1) this.#extensionBytes += line.length - extension;
      if (this.#extensionBytes > mostExtensionBytes) throw new NotHttp('HPE_CHUNK_EXTENSIONS_OVERFLOW');
      this.#left = Number.parseInt(digits, 16);
      this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    });
  }

  #line(rest: Buffer, most: number, take: (line: string) => void): Buffer {
    const at = rest.indexOf(lineFeed);
    if ((at === -1 ? rest.length : at) > most) throw new NotHttp('HPE_INVALID_CHUNK_SIZE');
    if (at === -1) return rest;
    if (rest[at - 1] !== carriageReturn) throw new NotHttp('HPE_STRICT');
    take(rest.toString('latin1', 0, at - 1));
    return rest.subarray(at + 1);
  }

  #over(parts: HttpPart[]): void {
    this.#state = 'over';
    parts.push({ kind: 'end', isReusable: this.#isReusable });
  }
}

/** Of a head that may not be whole: what is wrong with it is known before its end, which may never come. */
function checkLines(head: Buffer): void {
  const first = head.indexOf(lineFeed);
  for (let at = first; at !== -1; at = head.indexOf(lineFeed, at + 1)) {
    if (head[at - 1] !== carriageReturn) throw new NotHttp('HPE_CR_EXPECTED');
  }
  if (first !== -1 && !isStatusLine(head.toString('latin1', 0, first - 1))) throw new NotHttp('HPE_INVALID_CONSTANT');
}
