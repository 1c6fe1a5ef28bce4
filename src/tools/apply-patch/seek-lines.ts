import { trim, trimEnd } from './whitespace.ts';

/** The lines of a file, ready to be searched more and more loosely. */
export interface SearchedLines {
  readonly count: number;
  /** The lines as the pass compares them; made when they are first asked for. */
  form(pass: number): readonly string[];
}

/** From exact to loose. A looser pass begins only when the stricter ones found nothing anywhere. */
const passes: readonly ((line: string) => string)[] = [
  (line) => line,
  trimEnd,
  trim,
  (line) => foldTypography(trim(line)),
];

export function searchLines(lines: readonly string[]): SearchedLines {
  const forms: (readonly string[])[] = [];
  return {
    count: lines.length,
    form: (pass) => (forms[pass] ??= lines.map(passes[pass]!)),
  };
}

export interface SeekOptions {
  readonly from: number;
  /** Only the very end of the file counts. */
  readonly atEnd: boolean;
}

/** Where the pattern begins: the first place of the strictest pass that has one. An empty pattern fits where the search begins. */
export function seekLines(
  lines: SearchedLines,
  pattern: readonly string[],
  { from, atEnd }: SeekOptions,
): number | undefined {
  if (pattern.length === 0) return from;
  const last = lines.count - pattern.length;
  const first = atEnd ? Math.max(from, last) : from;
  for (const [pass, compared] of passes.entries()) {
    if (first > last) return undefined;
    const wanted = pattern.map(compared);
    const form = lines.form(pass);
    for (let at = first; at <= last; at++) {
      if (wanted.every((line, offset) => form[at + offset] === line)) return at;
    }
  }
  return undefined;
}

/** Typed characters in place of typeset ones: models write the former where files have the latter. */
function foldTypography(text: string): string {
  return text
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}
