/** The beginning of a text in one line: blanks of all kinds become one, and the cut shows. */
export function oneLine(text: string, characters: number): string {
  // Cut before the work is done: a text may be as long as a file.
  const folded = text
    .trimStart()
    .slice(0, characters * 8)
    // Replacing would keep a tree of pieces, many times the size of the text.
    .split(/(?:[^\S ]| (?=\s))\s*/)
    .join(' ')
    .trim();
  if (folded.length <= characters) return folded;
  const points = [...folded];
  if (points.length <= characters) return folded;
  return `${points.slice(0, characters - 1).join('')}…`;
}
