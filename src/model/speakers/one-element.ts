const opening = /^<([a-z_][^<>]{0,99})>/i;
// Space behind the slash is part of the rest: two patterns for the same space would take the square of its length.
const ends = /<\s*\/([^<>]*)>/g;

/**
 * Whether a text is one element that ends where the text does, and for no reader before. `<note x>` may be a name of two
 * words or one with an attribute: an end of either kind ends it.
 */
export function isOneElement(text: string): boolean {
  const trimmed = text.trim();
  const opened = opening.exec(trimmed)?.[1]?.toLowerCase();
  if (opened === undefined) return false;
  const name = firstWord(opened);
  const [first] = trimmed.matchAll(ends).filter(([, ended = '']) => firstWord(ended.toLowerCase()) === name);
  if (first === undefined || first.index + first[0].length !== trimmed.length) return false;
  return [`</${opened}>`, `</${name}>`].includes(first[0].toLowerCase());
}

function firstWord(words: string): string {
  return words.trimStart().split(/\s/, 1)[0]!;
}
