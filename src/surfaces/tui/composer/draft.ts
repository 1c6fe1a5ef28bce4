import { nextGrapheme, previousGrapheme, wordAfter, wordBefore } from './boundaries.ts';

/**
 * What a part of a draft stands for. `paste`: a longer text. `image`: a picture, by its path or as a data URL.
 * `mention`: a file, a folder, a skill or a plugin, by the text that the model gets; `path`: of a file or a folder.
 */
export type DraftPayload =
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'mention'; readonly text: string; readonly path?: string };

/** A part of a draft that stands for something else. It is moved over and deleted as a whole. */
export interface DraftElement {
  readonly start: number;
  readonly end: number;
  readonly payload: DraftPayload;
}

/** Text with elements in it, at places counted from its beginning. */
export type DraftPart = Pick<Draft, 'text' | 'elements'>;

/** A message that is being written. Positions count UTF-16 units. */
export interface Draft {
  readonly text: string;
  readonly cursor: number;
  /** In order, and apart from each other. */
  readonly elements: readonly DraftElement[];
}

export const emptyDraft: Draft = { text: '', cursor: 0, elements: [] };

export function draftOf(text: string): Draft {
  return { text, cursor: text.length, elements: [] };
}

/** The draft with a range replaced. An element that the range touches goes with it. The cursor stands behind the new text. */
export function replaceIn(
  draft: Draft,
  range: readonly [from: number, to: number],
  text: string,
  payload?: DraftPayload,
): Draft {
  const touched = draft.elements.filter(({ start, end }) => start < range[1] && end > range[0]);
  const from = Math.min(range[0], ...touched.map(({ start }) => start));
  const to = Math.max(range[1], ...touched.map(({ end }) => end));
  const moved = text.length - (to - from);
  const added = payload === undefined ? [] : [{ start: from, end: from + text.length, payload }];
  return {
    text: draft.text.slice(0, from) + text + draft.text.slice(to),
    cursor: from + text.length,
    elements: [
      ...draft.elements.filter(({ end }) => end <= from),
      ...added,
      ...draft.elements
        .filter(({ start, end }) => start >= to && end > from)
        .map((each) => ({ ...each, start: each.start + moved, end: each.end + moved })),
    ],
  };
}

export function insertInto(draft: Draft, text: string): Draft {
  return replaceIn(draft, [draft.cursor, draft.cursor], text);
}

/** What stands in a range that splits no element. */
export function partOf({ text, elements }: Draft, [from, to]: readonly [from: number, to: number]): DraftPart {
  const inside = elements.filter(({ start, end }) => start >= from && end <= to);
  return {
    text: text.slice(from, to),
    elements: inside.map((each) => ({ ...each, start: each.start - from, end: each.end - from })),
  };
}

/** The draft with a part in the place of a range. */
export function insertPart(draft: Draft, range: readonly [from: number, to: number], part: DraftPart): Draft {
  const made = replaceIn(draft, range, part.text);
  const start = made.cursor - part.text.length;
  const added = part.elements.map((each) => ({ ...each, start: each.start + start, end: each.end + start }));
  const elements = [...made.elements, ...added].toSorted((one, other) => one.start - other.start);
  return { ...made, elements };
}

export function withCursor(draft: Draft, cursor: number): Draft {
  return { ...draft, cursor };
}

/** Where the cursor goes, from where it is. */
export type Motion = 'left' | 'right' | 'word-left' | 'word-right' | 'line-start' | 'line-end' | 'start' | 'end';

export function motionEnd({ text, cursor, elements }: Draft, motion: Motion): number {
  const isBack = motion === 'left' || motion === 'word-left';
  const beside = elements.find(({ start, end }) => (isBack ? end === cursor : start === cursor));
  switch (motion) {
    case 'left':
      return beside?.start ?? previousGrapheme(text, cursor);
    case 'right':
      return beside?.end ?? nextGrapheme(text, cursor);
    case 'word-left':
      return beside?.start ?? outside(elements, wordBefore(text, cursor), 'start');
    case 'word-right':
      return beside?.end ?? outside(elements, wordAfter(text, cursor), 'end');
    case 'line-start':
      return text.lastIndexOf('\n', cursor - 1) + 1;
    case 'line-end': {
      const end = text.indexOf('\n', cursor);
      return end === -1 ? text.length : end;
    }
    case 'start':
      return 0;
    case 'end':
      return text.length;
  }
}

/** The nearest place that is not inside an element. */
export function outside(elements: readonly DraftElement[], at: number, side: 'start' | 'end'): number {
  const around = elements.find(({ start, end }) => start < at && at < end);
  return around === undefined ? at : around[side];
}
