import { stackedBar } from '../terminal/bar.ts';
import { dim, type TextLook, type Span } from '../terminal/look.ts';
import type { PageForm } from '../terminal/page.ts';
import { count } from '../wording/number-words.ts';
import { columnsOf } from '../../base/columns.ts';
import type { FamilyShare } from './group-parts.ts';
import { type Family, familyName } from './part-names.ts';

/** How a family is drawn: by its letter where there are no colours. */
const marks: Readonly<Record<Family, { readonly letter: string; readonly look: TextLook }>> = {
  instructions: { letter: 'i', look: 'magenta' },
  tools: { letter: 't', look: 'blue' },
  user: { letter: 'u', look: 'green' },
  model: { letter: 'm', look: 'cyan' },
  tool: { letter: 'o', look: 'yellow' },
  context: { letter: 'c', look: 'red' },
  client: { letter: 'p', look: 'bold' },
  unknown: { letter: '?', look: 'dim' },
};

/** The window as one bar, and below it what each part of the bar is. `limit`: the size of the window, if it is known. */
export function windowBar(
  families: readonly FamilyShare[],
  { total, limit }: { readonly total: number; readonly limit: number | undefined },
  { width, color }: PageForm,
): readonly Span[] {
  const whole = Math.max(total, limit ?? 0);
  if (whole === 0) return [];
  const parts = families.map(({ family, tokens }) => ({ amount: tokens, ...marks[family] }));
  const entries = families.map(({ family, tokens }): readonly [Span, string] => {
    const { letter, look } = marks[family];
    return [{ look, text: color ? '█' : letter }, ` ${familyName(family)} ${count(tokens)}`];
  });
  const free: readonly [Span, string] = [dim(color ? '░' : '.'), ` free ${count(whole - total)}`];
  const legend = whole > total ? [...entries, free] : entries;
  return [...stackedBar(parts, { whole, width, color }), '\n', ...packed(legend, width), '\n'];
}

/** As many entries in a line as fit. */
function packed(entries: readonly (readonly [Span, string])[], width: number): readonly Span[] {
  let left = 0;
  return entries.flatMap(([mark, text], at) => {
    const needed = 1 + columnsOf(text);
    const [isFirst, fits] = [at === 0, needed + 3 <= left];
    left = isFirst || !fits ? width - needed : left - needed - 3;
    return [...(isFirst ? [] : [fits ? '   ' : '\n']), mark, text];
  });
}
