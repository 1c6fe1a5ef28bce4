import { type Draft, replaceIn, withCursor } from '../draft.ts';
import type { VimRange } from './vim-object.ts';
import { vimSliceOf, timesSlice, type VimSlice, withSlice } from './vim-slice.ts';
import type { VimMove } from './vim-motion.ts';
import type { VimOperator } from './vim-state.ts';
import { behindElement, before, firstNonBlank, lineEnd, lineStart, settled } from './vim-text.ts';

export interface Operated {
  readonly draft: Draft;
  readonly slice: VimSlice;
}

/** What an operator does from the cursor to where a motion leads. */
export function operateTo(draft: Draft, operator: VimOperator, { to, takes }: VimMove): Operated {
  const { cursor } = draft;
  const range: VimRange = [Math.min(cursor, to), Math.max(cursor, to)];
  if (takes === 'lines') return operateLines(draft, operator, range);
  return operateRange(draft, operator, takes === 'inclusive' ? [range[0], behindElement(draft, range[1])] : range);
}

export function operateRange(draft: Draft, operator: VimOperator, range: VimRange): Operated {
  const slice = vimSliceOf(draft, range, false);
  if (operator === 'y') return { draft: settled(withCursor(draft, range[0])), slice };
  const left = range[0] === range[1] ? withCursor(draft, range[0]) : replaceIn(draft, range, '');
  return { draft: operator === 'c' ? left : settled(left), slice };
}

/** The whole lines that a range touches. */
export function operateLines(draft: Draft, operator: VimOperator, [first, last]: VimRange): Operated {
  const { text } = draft;
  const [from, to] = [lineStart(text, first), lineEnd(text, last)];
  const slice = vimSliceOf(draft, [from, to], true);
  if (operator === 'y') return { draft: settled(withCursor(draft, Math.min(first, last))), slice };
  if (operator === 'c') return { draft: replaceIn(draft, [from, to], ''), slice };
  // The last line goes with the break before it.
  const range: VimRange = to < text.length ? [from, to + 1] : [Math.max(0, from - 1), to];
  const left = replaceIn(draft, range, '');
  return { draft: settled(withCursor(left, firstNonBlank(left.text, Math.min(from, left.text.length)))), slice };
}

/** `p` and `P` */
export function putSlice(draft: Draft, slice: VimSlice, where: 'before' | 'behind', times: number): Draft {
  const { text, cursor } = draft;
  const many = timesSlice(slice, times);
  if (!slice.isLines) {
    const at = where === 'behind' && cursor < lineEnd(text, cursor) ? behindElement(draft, cursor) : cursor;
    const put = withSlice(draft, at, many);
    return settled(withCursor(put, many.text === '' ? at : before(put, put.cursor)));
  }
  const at = where === 'behind' ? lineEnd(text, cursor) : lineStart(text, cursor);
  const opened = replaceIn(draft, [at, at], '\n');
  const from = where === 'behind' ? at + 1 : at;
  const put = withSlice(opened, from, many);
  return settled(withCursor(put, firstNonBlank(put.text, from)));
}

/** `r`: undefined where the line has fewer characters. */
export function replaceSigns(draft: Draft, sign: string, times: number): Draft | undefined {
  const { text, cursor } = draft;
  const end = lineEnd(text, cursor);
  let to = cursor;
  for (let left = times; left > 0; left--) {
    if (to >= end) return undefined;
    to = behindElement(draft, to);
  }
  const replaced = replaceIn(draft, [cursor, to], sign.repeat(times));
  return settled(withCursor(replaced, replaced.cursor - sign.length));
}
