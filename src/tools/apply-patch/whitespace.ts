/**
 * White space as Unicode defines it. `String.prototype.trim` is close, but leaves U+0085 and takes U+FEFF, and a patch
 * that matches in one program must match in the other.
 */
function isWhitespace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhitespace(text.charCodeAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
}

function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && isWhitespace(text.charCodeAt(start))) start++;
  return start === 0 ? text : text.slice(start);
}

export function trim(text: string): string {
  return trimStart(trimEnd(text));
}
