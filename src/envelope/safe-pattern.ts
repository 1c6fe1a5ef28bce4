const mostCharacters = 5000;
const mostPattern = 500;
/** With two of them, matching takes at most the square of the text's length. */
const mostRepeats = 2;

/**
 * Whether a pattern from outside can be tried on a text without taking for ever. A group that repeats, a reference back
 * or a look-around may; so may many repeats, and a long text. What is refused here goes unchecked.
 */
export function isSafePattern(pattern: string, text: string): boolean {
  if (pattern.length > mostPattern || text.length > mostCharacters) return false;
  // Without what is escaped and what stands in brackets, only syntax is left.
  const syntax = pattern
    .replace(/\\(?:[1-9]|k<)/g, '(?=')
    .replace(/\\./gs, 'x')
    .replace(/\[(?:[^\]])*\]/g, 'x');
  if (/\(\?(?!:|<[A-Za-z])/.test(syntax) || /\)(?:[*+]|\{)/.test(syntax)) return false;
  const repeats = [...syntax.matchAll(/[*+]|\{(\d*)(,?)(\d*)\}/g)].filter(
    ([all, least, comma, most]) => all.length === 1 || Number(most || (comma === ',' ? Infinity : least)) > 100,
  );
  return repeats.length <= mostRepeats && compiles(pattern);
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
