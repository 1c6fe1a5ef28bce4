/**
 * The text with control characters as signs: what a program printed to move a cursor moves nothing for a reader, and
 * what turns the direction of writing cannot make a line look like another.
 */
export function visible(text: string): string {
  return (
    text
      .replaceAll('\r\n', '\n')
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (sign) =>
        sign === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + sign.charCodeAt(0)),
      )
      .replaceAll(/[\u0080-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (sign) => `<U+${hex(sign)}>`)
  );
}

function hex(sign: string): string {
  return sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}
