const mostCharacters = 5000;
const mostPattern = 500;
/** Ways in which a pattern may be tried on a text, over all places where it may begin: well under a second of work. */
const mostWays = 50_000_000;

/**
 * Whether a pattern from outside can be tried on a text without taking for ever. A group that repeats, a reference back
 * or a look-around may; so may many repeats and choices, and a long text. What is refused here goes unchecked.
 */
export function isSafePattern(pattern: string, text: string): boolean {
  if (pattern.length > mostPattern || text.length > mostCharacters) return false;
  // Without what is escaped and what stands in brackets, only syntax is left.
  const syntax = pattern
    .replace(/\\(?:[1-9]|k<)/g, '(?=')
    .replace(/\\./gs, 'x')
    .replace(/\[(?:[^\]])*\]/g, 'x');
  if (/\(\?(?!:|<[A-Za-z])/.test(syntax) || /\)(?:[*+?]|\{)/.test(syntax)) return false;
  return waysToTry(syntax, text.length) <= mostWays && compiles(pattern);
}

/** Every repeat may end at as many places as it is wide, and every choice has two ways; all of them multiply. */
function waysToTry(syntax: string, length: number): number {
  let ways = Math.max(1, length);
  for (const [sign, least, comma, most] of syntax.matchAll(/[*+?|]|\{(\d*)(,?)(\d*)\}/g)) {
    if (sign === '?' || sign === '|') ways *= 2;
    else if (sign === '*' || sign === '+') ways *= Math.max(1, length);
    else if (comma === ',') ways *= Math.min(length, most === '' ? length : Number(most) - Number(least || 0)) + 1;
  }
  return ways;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
