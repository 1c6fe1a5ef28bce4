/** Of a name that came several times, the values joined by commas; of names that make no sense twice, the first. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpHead {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The server speaks HTTP/1.1 and not 1.0. */
  readonly isModern: boolean;
}

/** The status of an answer behind which another protocol begins. */
export const switchingProtocols = 101;

/** The server sent something that is not HTTP, or that says two things at once. `code` is what Node would call it. */
export class NotHttp extends Error {
  readonly code: `HPE_${string}`;

  constructor(code: `HPE_${string}`) {
    super(code);
    this.code = code;
  }
}

/** Also of a head that is not whole yet. */
export function isStatusLine(line: string): boolean {
  return statusLine.test(line);
}

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?$/;
const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;
// oxlint-disable-next-line no-control-regex -- which of them a value may not have
const unsafeValue = /[\u0000-\u0008\u000A-\u001F\u007F]/;

/** Those of which a second one is ignored. */
const single = new Set(
  'age authorization content-length content-type etag expires from host if-modified-since last-modified location referer retry-after server user-agent'.split(
    ' ',
  ),
);

/** The lines of a head, without the empty one. */
export function readHttpHead(text: string): HttpHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, status] = statusLine.exec(first) ?? [];
  if (status === undefined) throw new NotHttp('HPE_INVALID_CONSTANT');
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = trimmed(line.slice(colon + 1));
    if (!headerName.test(name) || unsafeValue.test(value)) throw new NotHttp('HPE_INVALID_HEADER_TOKEN');
    const known = headers[name];
    if (name === 'content-length' && known !== undefined) {
      throw new NotHttp('HPE_UNEXPECTED_CONTENT_LENGTH');
    }
    if (known === undefined) headers[name] = value;
    else if (!single.has(name)) headers[name] = `${known}, ${value}`;
  }
  return { status: Number(status), headers, isModern: minor === '1' };
}

/** Without blanks at its ends. By hand: an expression looks at a value of many blanks once for each of them. */
function trimmed(text: string): string {
  const isBlank = (at: number): boolean => text[at] === ' ' || text[at] === '\t';
  let [from, to] = [0, text.length];
  while (from < to && isBlank(from)) from += 1;
  while (to > from && isBlank(to - 1)) to -= 1;
  return text.slice(from, to);
}

/** The body is compressed, although no such was asked for. Some servers name an encoding that is none. */
export function isPacked({ headers }: HttpHead): boolean {
  return /\b(?:x-)?(?:gzip|compress|deflate|br|zstd)\b/i.test(headers['content-encoding'] ?? '');
}

/** How the end of a body is known. */
export type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** It ends with the connection. */
  | { readonly kind: 'closed' };

export function framingOf({ status, headers }: HttpHead): Framing {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  // A proxy that believed the other one would see another answer than we do.
  if (encoding !== undefined && length !== undefined) throw new NotHttp('HPE_INVALID_TRANSFER_ENCODING');
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new NotHttp('HPE_INVALID_CONTENT_LENGTH');
  if (status === 204 || status === 304) return { kind: 'length', bytes: 0 };
  if (encoding !== undefined) return { kind: /(?:^|,)[ \t]*chunked$/i.test(encoding) ? 'chunked' : 'closed' };
  return length === undefined ? { kind: 'closed' } : { kind: 'length', bytes: Number(length) };
}

/** Whether the connection can take another request after this answer. */
export function staysOpen({ headers, isModern }: HttpHead, framing: Framing): boolean {
  const words = (headers['connection'] ?? '').toLowerCase().split(/[\s,]+/);
  return framing.kind !== 'closed' && (isModern ? !words.includes('close') : words.includes('keep-alive'));
}
