import { beginningOf, clustersOf } from '../../base/columns.ts';

/** A text in lines of at most so many columns, broken between words where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    for (;;) {
      const kept = fittingPart(rest, width);
      if (kept.length === rest.length) return [...lines, rest];
      const space = rest.lastIndexOf(' ', kept.length);
      const at = space > kept.length / 2 ? space + 1 : kept.length;
      lines.push(rest.slice(0, at).trimEnd());
      rest = rest.slice(at);
    }
  });
}

/** As much of a text as fits, and something of it in any case: what must not be split may be wider. */
export function fittingPart(text: string, width: number): string {
  const part = beginningOf(text, width);
  return part !== '' || text === '' ? part : (clustersOf(text).next().value?.text ?? '');
}
