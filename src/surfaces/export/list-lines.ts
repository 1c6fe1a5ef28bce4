/** A list item: its indent, its mark, and the space after it. */
export const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])(?: {1,4}|$)/;

/** The items of a list as lines without their indent, and the number that it begins with if it is numbered. */
export interface ListLines {
  readonly items: readonly (readonly string[])[];
  readonly start: number | undefined;
  /** The line after it. */
  readonly next: number;
}

/** The list that begins at the line. `endsText` says which lines do not continue the text of an item. */
export function readList(
  lines: readonly string[],
  at: number,
  endsText: (line: string) => boolean,
): ListLines | undefined {
  const first = bullet.exec(lines[at]!);
  if (first === null) return undefined;
  const [, indent = '', mark = ''] = first;
  const items: string[][] = [];
  let width = 0;
  let next = at;
  while (next < lines.length) {
    const line = lines[next]!;
    const item = isRule(line) ? null : bullet.exec(line);
    if (item !== null && item[1]!.length < indent.length + 2) {
      if (isNumbered(item[2]!) !== isNumbered(mark)) break;
      width = item[0].length;
      items.push([line.slice(width)]);
    } else if (isBlankLine(line)) {
      let after = next;
      while (after < lines.length && isBlankLine(lines[after]!)) after++;
      if (after === lines.length || !continues(lines[after]!, indent.length, mark)) break;
      for (; next < after; next++) items.at(-1)!.push('');
      continue;
    } else if (indentOf(line) >= indent.length + 2) {
      items.at(-1)!.push(line.slice(Math.min(width, indentOf(line))));
    } else if (!isBlankLine(lines[next - 1]!) && !endsText(line)) {
      items.at(-1)!.push(line);
    } else break;
    next++;
  }
  return { items, start: isNumbered(mark) ? Number.parseInt(mark, 10) : undefined, next };
}

/** Whether a line after blank ones belongs to the list. */
function continues(line: string, indent: number, mark: string): boolean {
  const [, , other] = isRule(line) ? [] : (bullet.exec(line) ?? []);
  return indentOf(line) >= indent + 2 || (other !== undefined && isNumbered(other) === isNumbered(mark));
}

function isNumbered(mark: string): boolean {
  return mark.length > 1;
}

export function isBlankLine(line: string): boolean {
  return line.trim() === '';
}

export function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === ' ') indent++;
  return indent;
}

/** Three or more stars, dashes or underscores, and nothing else. */
export function isRule(line: string): boolean {
  return /^([*_-])\1{2,}$/.test(line.replaceAll(' ', '')) && indentOf(line) < 4;
}
