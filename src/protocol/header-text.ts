/** Whether this can stand before the colon of a header. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
}

/** Whether this can stand behind it: one line of bytes. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value);
}

const framing: ReadonlySet<string> = new Set(
  'connection content-length expect host keep-alive transfer-encoding upgrade sec-websocket-key sec-websocket-version sec-websocket-protocol sec-websocket-extensions'.split(
    ' ',
  ),
);

/** The transport alone decides how a message is framed; a header that contradicts it would break the connection. */
export function isFramingHeader(name: string): boolean {
  return framing.has(name.toLowerCase());
}
