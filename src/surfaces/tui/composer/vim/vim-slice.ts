import { type Draft, type DraftElement, outside, replaceIn } from '../draft.ts';
import type { VimRange } from './vim-object.ts';

/** What was cut or copied, with the elements in it. `lines`: it goes on lines of its own. */
export interface VimSlice {
  readonly text: string;
  readonly elements: readonly DraftElement[];
  readonly isLines: boolean;
}

/** No element is cut in half: one that the range touches is in it. */
function wholeRange({ elements }: Draft, [from, to]: VimRange): VimRange {
  return [outside(elements, from, 'start'), outside(elements, to, 'end')];
}

export function vimSliceOf(draft: Draft, range: VimRange, isLines: boolean): VimSlice {
  const [from, to] = wholeRange(draft, range);
  const elements = draft.elements
    .filter(({ start, end }) => start >= from && end <= to)
    .map((each) => ({ ...each, start: each.start - from, end: each.end - from }));
  return { text: draft.text.slice(from, to), elements, isLines };
}

/** The draft with a slice put in. The cursor stands behind it. */
export function withSlice(draft: Draft, at: number, { text, elements }: Pick<VimSlice, 'text' | 'elements'>): Draft {
  const put = replaceIn(draft, [at, at], text);
  const added = elements.map((each) => ({ ...each, start: each.start + at, end: each.end + at }));
  return { ...put, elements: [...put.elements, ...added].toSorted((one, other) => one.start - other.start) };
}

/** Several times, one behind the other. */
export function timesSlice({ text, elements, isLines }: VimSlice, times: number): VimSlice {
  const part = isLines ? `${text}\n` : text;
  const all = Array.from({ length: times }, (_, at) =>
    elements.map((each) => ({ ...each, start: each.start + at * part.length, end: each.end + at * part.length })),
  ).flat();
  const repeated = part.repeat(times);
  return { text: isLines ? repeated.slice(0, -1) : repeated, elements: all, isLines };
}
