import { cyan, dim, green, red, type Span } from './look.ts';

/** The lines of a diff, each in the colour of its sign. */
export function diffSpans(diff: string, indent = ''): readonly Span[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines.map((line): Span => {
    const text = `${indent}${line}\n`;
    if (line.startsWith('+')) return green(text);
    if (line.startsWith('-')) return red(text);
    return line.startsWith('@@') ? cyan(text) : dim(text);
  });
}
