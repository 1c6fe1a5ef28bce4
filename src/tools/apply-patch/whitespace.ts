/**
 * White space as Unicode defines it. `String.prototype.trim` is close, but leaves U+0085 and takes U+FEFF, and a patch
 * that matches in one program must match in the other.
 */
const whitespace =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && whitespace.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

export function trim(text: string): string {
  let start = 0;
  while (start < text.length && whitespace.includes(text[start]!)) start++;
  return trimEnd(text.slice(start));
}
