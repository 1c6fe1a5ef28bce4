/**
 * Code in plain ASCII: Node reads it ten times as fast, and keeps it in half the memory. In what a minifier made, other
 * characters stand only in texts and regular expressions, where an escape means the same; those that are two UTF-16
 * units become two escapes.
 */
export function plainCharacters(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
