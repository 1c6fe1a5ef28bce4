import { columnsOf } from '../../base/columns.ts';
import { fit } from './text-width.ts';

/** A text in lines of at most so many columns, broken between words where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    for (;;) {
      const kept = fittingPart(rest, width);
      if (kept.length === rest.length) return [...lines, rest];
      const space = rest.lastIndexOf(' ', kept.length);
      const at = space > kept.length / 2 ? space + 1 : Math.max(1, kept.length);
      lines.push(rest.slice(0, at).trimEnd());
      rest = rest.slice(at);
    }
  });
}

/** As much of a text as fits. Looks only at its beginning: a text may be long, and most signs take one column. */
export function fittingPart(text: string, width: number): string {
  const near = text.slice(0, 4 * width);
  return columnsOf(near) <= width ? near : fit(near, width + 1).slice(0, -1);
}
